// One time for all players and plots.

export class Clock {
  /** `times`: of the frames [s]. `reach()`: up to where there are frames to show [s]; the clock waits there. */
  constructor(times, reach) {
    this.times = times;
    this.reach = reach;
    this.time = times[0];
    this.playing = false;
    this.speed = 1;
    this.loop = true;
    this.last = null;
    this.listeners = [];
  }

  get start() {
    return this.times[0];
  }

  get end() {
    return this.times.at(-1);
  }

  onchange(listener) {
    this.listeners.push(listener);
  }

  changed() {
    for (const listener of this.listeners) listener(this);
  }

  /** Moves on by what has passed since the last call; `now` in ms. */
  tick(now) {
    // A page that was hidden, or a slow renderer, must not make the clock leap.
    const passed = this.last === null ? 0 : Math.min(now - this.last, 250);
    this.last = now;
    if (!this.playing || this.end === this.start) return;
    let next = this.time + (passed / 1000) * this.speed;
    if (next >= this.end) {
      if (this.loop) next = this.start + ((next - this.start) % (this.end - this.start));
      else this.playing = false;
    }
    next = Math.min(next, this.reach(), this.end);
    if (next === this.time && this.playing) return;
    this.time = next;
    this.changed();
  }

  seek(time) {
    this.time = Math.min(Math.max(time, this.start), this.end);
    this.changed();
  }

  /** By frames, to the neighbouring ones. */
  step(frames) {
    this.playing = false;
    const at = this.frame(this.time + 1e-9 * (this.end - this.start));
    const off = frames < 0 && this.time > this.times[at] ? 1 : 0;
    this.seek(this.times[Math.min(Math.max(at + frames + off, 0), this.times.length - 1)]);
  }

  play(on = !this.playing) {
    if (on && this.time >= this.end) this.time = this.start;
    this.playing = on;
    this.changed();
  }

  /** The last frame at or before a time. */
  frame(time) {
    let [low, high] = [0, this.times.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.times[middle] <= time) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

/** The clock of frames that come live: it stays at the newest until somebody looks back. */
export class LiveClock extends Clock {
  constructor(times, reach) {
    super(times, reach);
    this.follows = true;
    /** Asks the simulation to go on or to pause; null where there is none to ask, and frames are played. */
    this.asks = null;
    /** True if more frames are to come. */
    this.grows = true;
  }

  tick(now) {
    if (this.asks) {
      if (this.follows && this.time !== this.end) this.seek(this.end);
      return;
    }
    // At the end of what there is, playing waits for more.
    const waits = this.grows && this.time + (0.25 * this.speed) >= this.end;
    const loop = this.loop;
    if (waits) this.loop = false;
    const playing = this.playing;
    super.tick(now);
    this.loop = loop;
    if (waits) this.playing = playing;
  }

  seek(time) {
    super.seek(time);
    this.follows = this.time >= this.end;
  }

  play(on = !this.playing) {
    if (!this.asks) return super.play(on);
    this.follows = true;
    this.asks(on);
  }
}

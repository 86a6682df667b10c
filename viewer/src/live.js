// Frames that come from a server while they are made, and the words that go to it. The format is said in README.md.

/** Limit of the memory of frames in this page [bytes]; beyond it every second one is dropped. */
const ROOM = 256 << 20;
/** Samples of energies: more cannot be told apart. */
const SAMPLES = 2000;

/** A source of frames for players, as RecordedFrames is one for reports. */
export class LiveFrames {
  constructor(meta) {
    this.meta = meta;
    this.points = meta.shape.points;
    this.run = meta.runs[0];
    this.times = meta.times;
    this.available = 0;
    this.failure = null;
    this.frames = [];
    this.version = 0;
    this.epoch = null;
    this.state = {};
    this.most = Math.max(60, Math.floor(ROOM / (this.points * (8 + meta.fields.length) || 1)));
    /** Called when frames have another number than before. */
    this.renumbered = () => {};
  }

  frame(f) {
    return this.frames[f].positions;
  }

  box(f) {
    return this.frames[f];
  }

  /** One byte per point, for the current legend: its top may have grown since the frame was made. */
  field(name, f) {
    const k = this.meta.fields.findIndex((field) => field.name === name);
    const { fields, max } = this.frames[f];
    if (!fields[k]) return null;
    const top = this.meta.fields[k].max;
    if (max[k] !== top) {
      const part = Math.sqrt(max[k] / top);
      fields[k] = fields[k].map((value) => Math.round(value * part));
      max[k] = top;
    }
    return fields[k];
  }

  want() {}

  flow(f) {
    return this.frames[f].flow;
  }

  wantFlow() {}

  /** Asks for what is new as long as the page is open; `progress` is called after each answer. */
  async read(progress) {
    for (;;) {
      try {
        const answer = await fetch(`frames?since=${this.version}`, { cache: "no-store" });
        if (!answer.ok) throw new Error(`it answers ${answer.status}`);
        this.take(await answer.arrayBuffer());
        this.failure = null;
      } catch (error) {
        this.failure = silent(error);
        await new Promise((go) => setTimeout(go, 1000));
      }
      progress();
    }
  }

  take(buffer) {
    const length = new DataView(buffer).getUint32(0, true);
    const head = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
    if (head.epoch !== this.epoch) this.begin(head.epoch);
    this.version = head.version;
    this.state = head.state;
    const n = this.points;
    let at = 4 + length;
    for (const { t, energies, low, high, max, flow } of head.frames) {
      const begin = at;
      at += (8 * n + max.length * n + 3) & ~3;
      max.forEach((top, k) => (this.meta.fields[k].max = Math.max(top, this.meta.fields[k].max)));
      // A state that was told again, because something else is new.
      if (this.available && t <= this.times.at(-1)) continue;
      // A copy: a view would keep all frames of the answer for as long as one of them is kept.
      const own = buffer.slice(begin, at);
      const positions = new Uint16Array(own, 0, 4 * n);
      const fields = max.map((_, k) => new Uint8Array(own, (8 + k) * n, n));
      this.times[this.available] = t;
      const arrows = flow ? Float32Array.from(flow) : null;
      if (arrows) this.meta.flow.max = Math.max(this.meta.flow.max, fastest(arrows));
      this.frames.push({ positions, fields, max, flow: arrows, low, size: high.map((h, axis) => h - low[axis]) });
      this.available += 1;
      if (energies) this.sample(t, energies);
    }
    if (this.available > this.most) this.thin();
    this.run.frames = this.available;
  }

  /** Time begins again. */
  begin(epoch) {
    this.epoch = epoch;
    this.available = 0;
    this.frames.length = 0;
    this.times.length = 1;
    for (const field of this.meta.fields) field.max = 0;
    if (this.meta.flow) this.meta.flow.max = 0;
    for (const name of Object.keys(this.run.series)) this.run.series[name] = [];
    this.renumbered();
  }

  sample(t, [kinetic, elastic, loads]) {
    const { series } = this.run;
    for (const [name, value] of Object.entries({ t, kinetic, elastic, loads, total: kinetic + elastic + loads })) {
      series[name].push(value);
      if (series[name].length > SAMPLES) series[name] = halved(series[name]);
    }
  }

  /** Every second frame goes, and the last stays: what is kept covers all the time there was. */
  thin() {
    this.frames = halved(this.frames);
    const times = halved(this.times.slice(0, this.available));
    this.times.length = 0;
    this.times.push(...times);
    this.available = times.length;
    this.renumbered();
  }
}

/** The speed that nine of ten arrows do not exceed. */
function fastest(flow) {
  const speeds = new Float32Array(flow.length / 3 - 1);
  for (let k = 3; k < flow.length; k += 3) speeds[k / 3 - 1] = Math.hypot(flow[k], flow[k + 1], flow[k + 2]);
  return speeds.sort()[Math.floor(0.9 * speeds.length)];
}

function halved(list) {
  return list.filter((_, i) => i % 2 === 0 || i === list.length - 1);
}

/** Message about a server that does not answer. */
function silent(error) {
  return `pliant view does not answer (${error.message}); start it again and open the address that it prints`;
}

/** Sends a command; what is wrong with it is an error with the words of the server. */
export async function command(what, facts = {}) {
  const body = JSON.stringify({ do: what, ...facts });
  const answer = await fetch("command", { method: "POST", headers: { "Content-Type": "application/json" }, body }).catch((error) => {
    throw new Error(silent(error));
  });
  if (answer.ok) return;
  const words = await answer.json().catch(() => ({}));
  throw new Error(words.error || `pliant view answers ${answer.status}`);
}

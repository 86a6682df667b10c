// Share of our own code in a frame: measured, printed at the foot of the page and read by the tests.

const KEPT = 600;

class Timing {
  constructor() {
    this.times = [];
    this.drawn = 0;
    this.decodings = [];
    this.frames_decoded = 0;
    this.first_motion = null;
  }

  /** Own time of one drawn frame [ms]: choosing frames, points on edges, normals. */
  own(ms) {
    this.times[this.drawn % KEPT] = ms;
    this.drawn += 1;
  }

  decoded(ms) {
    this.decodings[this.frames_decoded % KEPT] = ms;
    this.frames_decoded += 1;
  }

  /** Time from opening the page to the first picture that differs from the one before [ms]. */
  moved() {
    this.first_motion ??= performance.now();
  }

  get median() {
    return middle(this.times);
  }

  get worst() {
    return Math.max(0, ...this.times);
  }

  /** Decoding of one frame of one run [ms], the median. */
  get decode() {
    return middle(this.decodings);
  }

  reset() {
    this.times = [];
    this.drawn = 0;
  }
}

function middle(times) {
  return [...times].sort((a, b) => a - b)[times.length >> 1] ?? 0;
}

export const timing = new Timing();

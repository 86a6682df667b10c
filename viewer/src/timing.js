// How much of a frame is our own code: what is measured is printed at the foot of the page and read by the tests.

const KEPT = 600;

class Timing {
  constructor() {
    this.times = [];
    this.drawn = 0;
    this.frames_decoded = 0;
    this.decoding = 0;
    this.first_motion = null;
  }

  /** Own time of one drawn frame [ms]: choosing frames, points on edges, normals. */
  own(ms) {
    this.times[this.drawn % KEPT] = ms;
    this.drawn += 1;
  }

  decoded(ms) {
    this.frames_decoded += 1;
    this.decoding += ms;
  }

  /** Time from opening the page to the first picture that differs from the one before [ms]. */
  moved() {
    this.first_motion ??= performance.now();
  }

  get median() {
    return [...this.times].sort((a, b) => a - b)[this.times.length >> 1] ?? 0;
  }

  get worst() {
    return Math.max(0, ...this.times);
  }

  /** Decoding of one frame of one run [ms], the mean. */
  get decode() {
    return this.frames_decoded ? this.decoding / this.frames_decoded : 0;
  }

  reset() {
    this.times = [];
    this.drawn = 0;
  }
}

export const timing = new Timing();

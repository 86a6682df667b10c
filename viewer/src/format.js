// Numbers as people write them.

/** About three digits, whatever the size. */
export function number(value, digits = 3) {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  if (size !== 0 && (size >= 1e5 || size < 1e-3)) {
    const [mantissa, exponent] = value.toExponential(digits - 1).split("e");
    return `${trim(mantissa)}e${Number(exponent)}`;
  }
  if (size >= 1000) return String(Math.round(value));
  return trim(value.toPrecision(digits));
}

const trim = (text) => (text.includes(".") ? text.replace(/\.?0+$/, "") : text);

/** A span of time, in s, ms or µs. */
export function span(seconds) {
  if (seconds === null || seconds === undefined) return "–";
  if (seconds === 0 || Math.abs(seconds) >= 1) return `${number(seconds)} s`;
  if (Math.abs(seconds) >= 1e-3) return `${number(1e3 * seconds)} ms`;
  return `${number(1e6 * seconds)} µs`;
}

/** A moment in the words of a sentence, in the unit of the clock. */
/** True if a run ended before its time: because it diverged, or because the program failed. */
export const gaveUp = (run) => run.outcome === "diverged" || run.outcome === "failed";

export const when = (seconds) => `${number(seconds)} s`;

/** A moment of a clock that runs to `end`, always of the same width. */
export function moment(seconds, end) {
  const digits = Math.min(Math.max(2 - Math.floor(Math.log10(end || 1)), 1), 6);
  return seconds.toFixed(digits);
}

export const percent = (part) => (part === null || part === undefined ? "–" : `${number(100 * part)} %`);

/** Places for ticks between two numbers, at 1, 2 or 5 times a power of ten. */
export function ticks(low, high, wanted) {
  const rough = (high - low) / Math.max(wanted, 1);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= rough * 0.999);
  const found = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++) found.push(Number((k * step).toPrecision(12)));
  return found;
}

/** Powers of ten between two numbers, thinned to the wanted count; with their 2 and 5 fold where there is room. */
export function logTicks(low, high, wanted) {
  const [from, to] = [Math.ceil(Math.log10(low) - 1e-9), Math.floor(Math.log10(high) + 1e-9)];
  const stride = Math.max(1, Math.ceil((to - from + 1) / wanted));
  const found = [];
  for (let k = from - 1; k <= to; k++) {
    if (k >= from && (k - from) % stride === 0) found.push(10 ** k);
    if (to - from < 2) found.push(2 * 10 ** k, 5 * 10 ** k);
  }
  return found.filter((v) => v >= low * 0.999 && v <= high * 1.001);
}

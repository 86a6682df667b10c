// Pixels of a screenshot: just enough PNG for what browsers write (8 bits a channel, not interlaced).
import { inflateSync } from "node:zlib";

/** { width, height, channels, data } of the bytes of a PNG. */
export function decode(png) {
  const bytes = Buffer.from(png);
  const parts = [];
  let [width, height, channels] = [0, 0, 0];
  for (let at = 8; at < bytes.length; ) {
    const length = bytes.readUInt32BE(at);
    const kind = bytes.toString("latin1", at + 4, at + 8);
    const body = bytes.subarray(at + 8, at + 8 + length);
    if (kind === "IHDR") {
      [width, height] = [body.readUInt32BE(0), body.readUInt32BE(4)];
      channels = { 2: 3, 6: 4 }[body[9]];
      if (body[8] !== 8 || !channels || body[12]) throw new Error("a kind of PNG that this reader does not know");
    }
    if (kind === "IDAT") parts.push(body);
    at += 12 + length;
  }
  return { width, height, channels, data: unfilter(inflateSync(Buffer.concat(parts)), width * channels, height, channels) };
}

function unfilter(raw, row, height, channels) {
  const data = Buffer.alloc(row * height);
  for (let y = 0; y < height; y++) {
    const kind = raw[y * (row + 1)];
    for (let x = 0; x < row; x++) {
      const at = y * row + x;
      const left = x >= channels ? data[at - channels] : 0;
      const up = y ? data[at - row] : 0;
      const corner = y && x >= channels ? data[at - row - channels] : 0;
      const guess = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][kind];
      data[at] = raw[y * (row + 1) + 1 + x] + guess;
    }
  }
  return data;
}

function paeth(a, b, c) {
  const [pa, pb, pc] = [Math.abs(b - c), Math.abs(a - c), Math.abs(a + b - 2 * c)];
  return pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
}

/** How many pixels of two pictures differ visibly. */
export function difference(a, b) {
  if (a.width !== b.width || a.height !== b.height) throw new Error("pictures of different sizes");
  let count = 0;
  for (let i = 0; i < a.width * a.height; i++) {
    let apart = 0;
    for (let c = 0; c < 3; c++) apart = Math.max(apart, Math.abs(a.data[i * a.channels + c] - b.data[i * b.channels + c]));
    if (apart > 12) count += 1;
  }
  return count;
}

/** How many different colours a picture has. */
export function colours({ width, height, channels, data }) {
  const seen = new Set();
  for (let i = 0; i < width * height; i++) seen.add((data[i * channels] << 16) | (data[i * channels + 1] << 8) | data[i * channels + 2]);
  return seen.size;
}

// From base64 to bytes in slices, so that neither a large string nor a large array is made at once and the page stays alive.

/** Characters of base64 decoded at a time: a multiple of 4, small enough for a few milliseconds on a phone. */
const SLICE = 1 << 17;

/** Chunks of the zlib stream that `text` is the base64 of. */
export async function* inflate(text) {
  const stream = new DecompressionStream("deflate");
  const writer = stream.writable.getWriter();
  const reader = stream.readable.getReader();
  // The reader sees the same failure as the writer, and tells it to whoever reads.
  feed(text, writer).catch((error) => writer.abort(error).catch(() => {}));
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    yield value;
  }
}

async function feed(text, writer) {
  for (let at = 0; at < text.length; at += SLICE) {
    await writer.ready;
    writer.write(bytesOf(text.slice(at, at + SLICE))).catch(() => {});
  }
  await writer.close();
}

function bytesOf(base64) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(base64);
  const letters = atob(base64);
  const bytes = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; i++) bytes[i] = letters.charCodeAt(i);
  return bytes;
}

/** Lets the page draw and answer after every few milliseconds of work, shared by all who work. */
export class Pace {
  constructor(budget = 4) {
    this.budget = budget;
    this.start = performance.now();
    this.waiting = [];
    this.channel = new MessageChannel();
    this.channel.port1.onmessage = () => {
      this.start = performance.now();
      this.waiting.shift()?.();
    };
  }

  async breathe() {
    if (performance.now() - this.start < this.budget) return;
    // Timers would wait for 4 ms each; a message is the next thing the page does after drawing.
    await new Promise((go) => {
      this.waiting.push(go);
      this.channel.port2.postMessage(null);
    });
  }
}

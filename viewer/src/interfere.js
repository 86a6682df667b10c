// Commands of the user to a running simulation: pause, step, another method, begin again, pull.
import { command } from "./live.js";
import { pullBy } from "./pull.js";

const byId = (id) => document.getElementById(id);

/** Ties the controls of a live page; `frames`: a LiveFrames. */
export function interfere({ meta, clock, view, player, cell, frames }) {
  const [bar, method, single, again, refusal] = ["live", "method", "single", "again", "refusal"].map(byId);
  bar.hidden = false;
  byId("loop").parentElement.hidden = true;
  byId("play").title = "Continue or pause (space)";
  const ask = async (what, facts) => {
    try {
      await command(what, facts);
      refusal.textContent = "";
      return true;
    } catch (error) {
      refusal.textContent = error.message;
      return false;
    }
  };
  for (const { name, about } of meta.live.methods) {
    const option = new Option(name, name);
    option.title = about;
    method.append(option);
  }
  method.addEventListener("change", async () => {
    if (!(await ask("method", { name: method.value }))) method.value = frames.state.method;
  });
  single.addEventListener("click", () => {
    clock.follows = true;
    ask("step");
  });
  again.addEventListener("click", () => {
    clock.follows = true;
    ask("reset");
  });
  byId("speed").addEventListener("change", (event) => ask("speed", { factor: Number(event.target.value) }));
  clock.asks = (on) => ask(on ? "go" : "pause");
  pullBy(cell.element, { view, player, ask });
  return {
    /** Shows what the server says of the simulation. */
    tell(state) {
      if (document.activeElement !== method && method.value !== state.method) method.value = state.method;
      single.disabled = Boolean(state.diverged);
    },
  };
}

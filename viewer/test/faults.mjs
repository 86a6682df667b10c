// What is wrong with the looks of a page; runs in the page.

/** Elements whose content is wider than they are, and words over players that lie on each other. */
export function faults() {
  const name = (element) => `${element.tagName}#${element.id}.${element.className}`;
  const found = [];
  for (const element of document.querySelectorAll("body *")) {
    if (!element.clientWidth || element.closest("svg")) continue;
    if (element.scrollWidth > element.clientWidth) found.push(`${name(element)}: ${element.scrollWidth} in ${element.clientWidth}`);
  }
  if (document.documentElement.scrollWidth > innerWidth) found.push("the page is wider than the screen");
  for (const player of document.querySelectorAll(".player")) {
    const words = [...player.querySelectorAll(".name, .facts, .state, .sign, .when, .cause")].filter((word) => word.offsetParent && word.innerText);
    const boxes = words.map((word) => word.getBoundingClientRect());
    const frame = player.getBoundingClientRect();
    boxes.forEach((a, i) => {
      if (a.left < frame.left || a.right > frame.right || a.top < frame.top || a.bottom > frame.bottom) found.push(`${words[i].innerText} leaves its player`);
      boxes.slice(0, i).forEach((b, j) => {
        const apart = a.right <= b.left + 1 || b.right <= a.left + 1 || a.bottom <= b.top + 1 || b.bottom <= a.top + 1;
        if (!apart) found.push(`${words[i].innerText} lies on ${words[j].innerText}`);
      });
    });
  }
  const ticks = [...document.querySelectorAll("#legend .ticks span")].map((tick) => tick.getBoundingClientRect());
  ticks.slice(1).forEach((tick, i) => {
    if (tick.left < ticks[i].right + 4) found.push(`numbers ${i} and ${i + 1} of the legend lie on each other`);
  });
  const controls = document.getElementById("transport").clientHeight;
  if (controls > 100) found.push(`the controls take ${controls} pixels of the screen`);
  const texts = [...document.querySelectorAll(".figure text")];
  for (const [i, a] of texts.entries()) {
    const box = a.getBoundingClientRect();
    const frame = a.ownerSVGElement.getBoundingClientRect();
    if (box.left < frame.left - 1 || box.right > frame.right + 1) found.push(`${a.textContent} leaves its plot`);
    for (const b of texts.slice(0, i)) {
      if (b.ownerSVGElement !== a.ownerSVGElement) continue;
      const other = b.getBoundingClientRect();
      if (box.left < other.right && other.left < box.right && box.top < other.bottom - 1 && other.top < box.bottom - 1) found.push(`${a.textContent} lies on ${b.textContent}`);
    }
  }
  return found;
}

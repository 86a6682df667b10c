// One canvas behind all players: browsers allow few graphics contexts, and one canvas cannot get out of step with itself.
import { WebGLRenderer } from "three";

/** Height or width of a canvas that every device can hold [pixels]. */
const LARGEST = 4096;

export class Stage {
  /** `canvas` lies over the whole of `grid`; each player is drawn where its `cell` is. */
  constructor(canvas, grid) {
    this.canvas = canvas;
    this.grid = grid;
    this.renderer = new WebGLRenderer({ canvas, antialias: true, alpha: true });
    this.renderer.setClearColor(0x000000, 0);
    this.renderer.setScissorTest(true);
    // Nothing here has a depth to be sorted by: scenes are drawn in the order they were made.
    this.renderer.sortObjects = false;
    this.cells = [];
    this.fit();
  }

  /** Takes over the sizes of the page. */
  fit() {
    const { clientWidth: width, clientHeight: height } = this.grid;
    if (!width || !height) return;
    this.ratio = Math.min(window.devicePixelRatio || 1, 2, LARGEST / width, LARGEST / height);
    this.renderer.setPixelRatio(this.ratio);
    this.renderer.setSize(width, height, false);
    this.height = height;
    const origin = this.grid.getBoundingClientRect();
    this.boxes = this.cells.map((cell) => {
      const box = cell.getBoundingClientRect();
      // Within the border, which is a pixel wide.
      return { left: box.left - origin.left + 1, top: box.top - origin.top + 1, width: box.width - 2, height: box.height - 2 };
    });
  }

  /** Draws all players that are on the screen. */
  draw(players, view) {
    const top = this.grid.getBoundingClientRect().top;
    players.forEach((player, i) => {
      const box = this.boxes[i];
      if (!box || top + box.top > window.innerHeight || top + box.top + box.height < 0) return;
      view.place(player.camera, box.width / box.height);
      player.thick?.uniforms.spread.value.set(2.4 / box.width, 2.4 / box.height);
      for (const stroke of player.allStrokes) stroke.uniforms.spread.value.set(2.4 / box.width, 2.4 / box.height);
      player.uniforms.height.value = box.height * this.ratio;
      const bottom = this.height - box.top - box.height;
      this.renderer.setViewport(box.left, bottom, box.width, box.height);
      this.renderer.setScissor(box.left, bottom, box.width, box.height);
      this.renderer.render(player.scene, player.camera);
    });
  }
}

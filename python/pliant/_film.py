"""Films of runs, drawn by matplotlib."""

from __future__ import annotations

import shutil

import numpy as np

from .errors import InputError

MOST_FRAMES = 300
"""Frames of a film; others are left out."""


def save(run, path) -> None:
    """Draws surface and lines of a run, frame by frame."""
    import matplotlib

    if path.suffix == ".mp4" and shutil.which("ffmpeg") is None:
        raise InputError("films need ffmpeg: install it, or save a .gif or the moving page (.html)")
    from matplotlib.animation import FFMpegWriter, PillowWriter
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.colors import LightSource
    from matplotlib.figure import Figure
    from mpl_toolkits.mplot3d.art3d import Line3DCollection, Poly3DCollection

    figure = Figure(figsize=(8, 6), dpi=100)
    FigureCanvasAgg(figure)
    axes = figure.add_subplot(projection="3d")
    axes.set_axis_off()
    faces = np.concatenate([run.surface, run.triangles]).astype(np.int64)
    lines = run.edges.astype(np.int64) if not len(faces) else np.zeros((0, 2), np.int64)
    every = -(-len(run.times) // MOST_FRAMES)
    frames = range(0, len(run.times), every)
    seen = np.concatenate([run.positions[i] for i in frames])
    low, high = seen.min(axis=0), seen.max(axis=0)
    axes.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), zlim=(low[2], high[2]))
    axes.set_box_aspect(np.maximum(high - low, 1e-3 * (high - low).max()))
    light = LightSource(azdeg=225, altdeg=45)
    skin = Poly3DCollection(run.positions[0][faces], shade=True, facecolors="#4c78a8", lightsource=light) if len(faces) else None
    drawn = skin or Line3DCollection(run.positions[0][lines], colors="#4c78a8")
    axes.add_collection3d(drawn)
    rate = min(60.0, max(1.0, (len(frames) - 1) / max(run.times[-1] - run.times[0], 1e-9)))
    writer = FFMpegWriter(fps=rate) if path.suffix == ".mp4" else PillowWriter(fps=rate)
    with matplotlib.rc_context({"animation.writer": "ffmpeg"}), writer.saving(figure, str(path), 100):
        for i in frames:
            x = run.positions[i]
            drawn.set_verts(x[faces]) if skin else drawn.set_segments(x[lines])
            axes.set_title(f"{run.times[i]:.2f} s")
            writer.grab_frame()

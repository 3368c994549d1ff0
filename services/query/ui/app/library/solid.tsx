// The cell of a crystal, which the pointer and the arrow keys rotate.
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { identityHeaders } from "../api/identity.js";
import { counted } from "../ui/text.js";
import { type Cell, cellOf, rotation } from "./space.js";

const size = 480; // px
const step = Math.PI / 24; // of a key

async function read(address: string): Promise<Cell> {
  const response = await fetch(address, { headers: identityHeaders() });
  if (!response.ok) throw new Error(`status ${response.status}`);
  return cellOf(new DOMParser().parseFromString(await response.text(), "image/svg+xml"));
}

export default function Solid({ address }: { address: string }): JSX.Element {
  const canvas = useRef<HTMLCanvasElement>(null), [cell, setCell] = useState<Cell>(), [failed, setFailed] = useState(false);
  const [[turn, tilt], set] = useState([0, 0]), last = useRef<PointerEvent>(null);
  useEffect(() => { read(address).then(setCell, () => setFailed(true)); }, [address]);
  useEffect(() => {
    const context = canvas.current?.getContext("2d");
    if (context && cell) draw(context, cell, turn, tilt);
  }, [cell, turn, tilt]);
  const drag = (event: PointerEvent): void => {
    if (!last.current || event.buttons === 0) return;
    const { clientX, clientY } = last.current;
    last.current = event;
    set(([a, b]) => [a + (event.clientX - clientX) / 100, b + (event.clientY - clientY) / 100]);
  };
  const press = (event: KeyboardEvent): void => {
    const by = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, -step], ArrowDown: [0, step] }[event.key];
    if (!by) return;
    event.preventDefault();
    set(([a, b]) => [a + (by[0] ?? 0), b + (by[1] ?? 0)]);
  };
  if (failed) return <p class="soft">The crystal could not be loaded.</p>;
  const ratio = Math.max(1, devicePixelRatio);
  return (
    <canvas
      ref={canvas} class="solid" width={size * ratio} height={size * ratio} role="img" tabIndex={0}
      aria-label={cell ? `Cell with ${counted(cell.atoms.length, "atom")}. Drag it or press arrow keys to rotate it.` : "Loading the cell"}
      onPointerDown={(event) => {
        last.current = event;
        event.currentTarget.setPointerCapture(event.pointerId);
      }}
      onPointerMove={drag} onPointerUp={() => { last.current = null; }} onKeyDown={press}
    />
  );
}

/** Draws the edges of the cell and its atoms, the farthest first. */
function draw(to: CanvasRenderingContext2D, cell: Cell, turn: number, tilt: number): void {
  const { width } = to.canvas, scale = width / 2 / (cell.reach * 1.15), rotate = rotation(turn, tilt);
  to.setTransform(1, 0, 0, 1, 0, 0);
  to.clearRect(0, 0, width, width);
  to.setTransform(scale, 0, 0, scale, width / 2, width / 2);
  to.strokeStyle = "#888";
  to.lineWidth = cell.reach / 200;
  to.beginPath();
  for (const [from, end] of cell.edges) {
    const a = rotate(from), b = rotate(end);
    to.moveTo(a.x, a.y);
    to.lineTo(b.x, b.y);
  }
  to.stroke();
  for (const atom of cell.atoms.map((a) => ({ ...a, ...rotate(a) })).sort((a, b) => a.z - b.z)) {
    const { x, y, radius } = atom, light = to.createRadialGradient(x - radius / 3, y - radius / 3, radius / 10, x, y, radius);
    light.addColorStop(0, "#fff");
    light.addColorStop(0.35, atom.color);
    light.addColorStop(1, "#222");
    to.fillStyle = light;
    to.beginPath();
    to.arc(x, y, radius, 0, 2 * Math.PI);
    to.fill();
  }
}

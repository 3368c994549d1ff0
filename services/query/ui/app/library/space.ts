// The positions of a drawing of a crystal, which has their depths, and their rotation.

export interface Place { x: number; y: number; z: number }

export interface Cell {
  atoms: (Place & { radius: number; color: string; name: string })[];
  edges: [Place, Place][];
  /** The distance of the farthest position from the center, which is the origin. */
  reach: number;
}

/** Reads a drawing, whose y axis points down. */
export function cellOf(drawing: Document): Cell {
  const number = (e: Element, name: string): number => Number(e.getAttribute(name));
  const atoms = [...drawing.querySelectorAll("circle")].map((e) => ({
    x: number(e, "cx"), y: number(e, "cy"), z: number(e, "data-z"), radius: number(e, "r"), color: e.getAttribute("fill") ?? "#888",
    name: e.textContent,
  }));
  const edges = [...drawing.querySelectorAll("path[data-z]")].map((e): [Place, Place] => {
    const [x1 = 0, y1 = 0, x2 = 0, y2 = 0] = (e.getAttribute("d") ?? "").match(/-?[\d.]+/g)?.map(Number) ?? [];
    const [z1 = 0, z2 = 0] = (e.getAttribute("data-z") ?? "").split(" ").map(Number);
    return [{ x: x1, y: y1, z: z1 }, { x: x2, y: y2, z: z2 }];
  });
  return centered(atoms, edges);
}

function centered(atoms: Cell["atoms"], edges: Cell["edges"]): Cell {
  const corners = edges.flat();
  const middle = (axis: keyof Place): number => corners.reduce((sum, c) => sum + c[axis], 0) / (corners.length || 1);
  const [x, y, z] = [middle("x"), middle("y"), middle("z")];
  const moved = <P extends Place>(p: P): P => ({ ...p, x: p.x - x, y: p.y - y, z: p.z - z });
  const all = { atoms: atoms.map(moved), edges: edges.map(([from, to]): [Place, Place] => [moved(from), moved(to)]) };
  const places = [...all.edges.flat(), ...all.atoms];
  return { ...all, reach: places.reduce((most, p) => Math.max(most, Math.hypot(p.x, p.y, p.z)), 1) };
}

/** Returns a function that turns positions around the vertical axis, then tilts them around the horizontal one, in radians. */
export function rotation(turn: number, tilt: number): (p: Place) => Place {
  const [c, s, ct, st] = [Math.cos(turn), Math.sin(turn), Math.cos(tilt), Math.sin(tilt)];
  return ({ x, y, z }) => {
    const across = x * c + z * s, depth = z * c - x * s;
    return { x: across, y: y * ct + depth * st, z: depth * ct - y * st };
  };
}

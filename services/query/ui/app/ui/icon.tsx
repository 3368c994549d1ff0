// Icons: strokes in a box of 24 × 24, in the color of the text. They are hidden from screen readers; the control has the accessible name.
import type { ComponentChildren, FunctionComponent } from "preact";

function icon(paths: ComponentChildren, name = "icon"): FunctionComponent {
  return () => (
    <svg
      class={name} viewBox="0 0 24 24" width="20" height="20" fill="none" stroke="currentColor"
      stroke-width="1.75" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true"
      focusable="false"
    >
      {paths}
    </svg>
  );
}

export const FileText = icon(
  <><path d="M14 3H7a2 2 0 0 0-2 2v14a2 2 0 0 0 2 2h10a2 2 0 0 0 2-2V8z" /><path d="M14 3v5h5M9 13h6M9 17h4" /></>,
);
export const FileIcon = icon(<><path d="M14 3H7a2 2 0 0 0-2 2v14a2 2 0 0 0 2 2h10a2 2 0 0 0 2-2V8z" /><path d="M14 3v5h5" /></>);
export const Image = icon(
  <><rect x="3" y="4" width="18" height="16" rx="2" /><circle cx="9" cy="10" r="1.5" /><path d="m4 18 5-5 4 4 3-3 4 4" /></>,
);
export const Library = icon(<><path d="M3 7a2 2 0 0 1 2-2h4l2 2h8a2 2 0 0 1 2 2v8a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2z" /></>);
export const Feed = icon(<><path d="M4 20V10M10 20V4M16 20v-8M21 20H3" /></>);
export const Search = icon(<><circle cx="11" cy="11" r="6.5" /><path d="m20 20-4-4" /></>);
export const Gauge = icon(<><path d="M4 17a8 8 0 1 1 16 0" /><path d="m12 15 4-5" /></>);
export const Code = icon(<path d="m8 7-5 5 5 5M16 7l5 5-5 5M13.5 5l-3 14" />);
export const Upload = icon(<><path d="M12 16V4m0 0L7 9m5-5 5 5" /><path d="M4 16v2a2 2 0 0 0 2 2h12a2 2 0 0 0 2-2v-2" /></>);
export const Download = icon(<><path d="M12 4v12m0 0 5-5m-5 5-5-5" /><path d="M4 16v2a2 2 0 0 0 2 2h12a2 2 0 0 0 2-2v-2" /></>);
export const Trash = icon(<><path d="M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13M10 11v5M14 11v5" /></>);
export const Retry = icon(<><path d="M20 12a8 8 0 1 1-2.5-5.8" /><path d="M20 3v4h-4" /></>);
export const Pause = icon(<path d="M9 5v14M15 5v14" />);
export const Play = icon(<path d="M7 4.5v15l12-7.5z" />);
export const Close = icon(<path d="M6 6l12 12M18 6 6 18" />);
export const Check = icon(<path d="m5 12.5 4.5 4.5L19 7" />);
export const Alert = icon(<><path d="M12 3.5 2.5 20h19z" /><path d="M12 10v4M12 17v.1" /></>);
export const Clock = icon(<><circle cx="12" cy="12" r="8.5" /><path d="M12 7v5l3 2" /></>);
export const More = icon(<path stroke-width="3" d="M12 5.5v.01M12 12v.01M12 18.5v.01" />);
export const ChevronDown = icon(<path d="m6 9 6 6 6-6" />);
export const ChevronLeft = icon(<path d="m15 6-6 6 6 6" />, "icon onward");
export const ChevronRight = icon(<path d="m9 6 6 6-6 6" />, "icon onward");
export const User = icon(<><circle cx="12" cy="8" r="4" /><path d="M4 21c1-4 4-6 8-6s7 2 8 6" /></>);
export const Sun = icon(
  <><circle cx="12" cy="12" r="4" /><path d="M12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.5 1.5M17.5 17.5 19 19M5 19l1.5-1.5M17.5 6.5 19 5" /></>,
);
export const Moon = icon(<path d="M20 14.5A8.5 8.5 0 0 1 9.5 4a8.5 8.5 0 1 0 10.5 10.5z" />);
export const Plus = icon(<path d="M12 5v14M5 12h14" />);
export const Copy = icon(
  <><rect x="8" y="8" width="12" height="12" rx="2" /><path d="M16 8V6a2 2 0 0 0-2-2H6a2 2 0 0 0-2 2v8a2 2 0 0 0 2 2h2" /></>,
);
export const Link = icon(
  <><path d="M10 14a4 4 0 0 0 5.7 0l3-3A4 4 0 0 0 13 5.3l-1 1" /><path d="M14 10a4 4 0 0 0-5.7 0l-3 3A4 4 0 0 0 11 18.7l1-1" /></>,
);
export const External = icon(<><path d="M13 5h6v6M19 5l-9 9" /><path d="M18 14v4a2 2 0 0 1-2 2H6a2 2 0 0 1-2-2V8a2 2 0 0 1 2-2h4" /></>);
export const Grid = icon(
  <>
    <rect x="4" y="4" width="7" height="7" rx="1" />
    <rect x="13" y="4" width="7" height="7" rx="1" />
    <rect x="4" y="13" width="7" height="7" rx="1" />
    <rect x="13" y="13" width="7" height="7" rx="1" />
  </>,
);
export const List = icon(<path d="M9 6h11M9 12h11M9 18h11M4.5 6v.01M4.5 12v.01M4.5 18v.01" />);
export const Folder = icon(<path d="M3 7a2 2 0 0 1 2-2h4l2 2h8a2 2 0 0 1 2 2v8a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2z" />);
export const FolderPlus = icon(
  <><path d="M3 7a2 2 0 0 1 2-2h4l2 2h8a2 2 0 0 1 2 2v8a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2z" /><path d="M12 11v5M9.5 13.5h5" /></>,
);
export const Move = icon(
  <>
    <path d="M3 7a2 2 0 0 1 2-2h4l2 2h8a2 2 0 0 1 2 2v8a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2z" />
    <path d="M8 13.5h7m-2.5-2.5 2.5 2.5-2.5 2.5" />
  </>,
);
export const Pencil = icon(<><path d="m4 20 1-4L16 5l3 3L8 19z" /><path d="m14 7 3 3" /></>);
export const Globe = icon(<><circle cx="12" cy="12" r="8.5" /><path d="M3.5 12h17M12 3.5c5 5 5 12 0 17c-5-5-5-12 0-17" /></>);
export const People = icon(
  <>
    <circle cx="9" cy="8.5" r="3.5" />
    <path d="M2.5 20c.8-3.5 3.2-5 6.5-5s5.7 1.5 6.5 5M15.5 5.200a3.5 3.5 0 0 1 0 6.600M17.5 15.300c2 .6 3.4 2 4 4.7" />
  </>,
);
export const TableIcon = icon(<><rect x="3.5" y="5" width="17" height="14" rx="2" /><path d="M3.5 10h17M3.5 14.5h17M9.5 10v9" /></>);
export const Molecule = icon(<><path d="m12 4 6.5 3.8v7.600L12 19.200l-6.5-3.8V7.8z" /><path d="M12 7.5 8.5 9.5v4" /></>);
export const Curve = icon(<><path d="M4 4v16h16" /><path d="M6.5 17c2 0 2-9 3.5-9s1.5 6 3 6 1.5-8 3-8 1.5 11 3.5 11" /></>);
export const Model = icon(
  <><path d="M4 4v16h16M6.500 16.500l12-9" /><path stroke-width="2.500" d="M8 12v.01M11 16v.01M13.500 9.500v.01M17 12.500v.01" /></>,
);
export const Columns = icon(<><rect x="3.5" y="5" width="17" height="14" rx="2" /><path d="M9.2 5v14M14.8 5v14" /></>);
export const Webhook = icon(<>
  <circle cx="12" cy="6" r="2.5" /><circle cx="6" cy="17" r="2.5" /><circle cx="18" cy="17" r="2.5" />
  <path d="M10.8 8.2 7.2 14.8M13.2 8.2l3.6 6.6M8.5 17h7" />
</>);
export const Filter = icon(<path d="M4 5h16l-6 7.5V19l-4-2v-4.5z" />);

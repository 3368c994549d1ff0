import type { ComponentChildren, ComponentType, JSX } from "preact";

interface Common {
  /** primary: the main action of a view. danger: deletes something. quiet: without a border. */
  kind?: "primary" | "danger" | "quiet";
  icon?: ComponentType;
  children?: ComponentChildren;
}

type ButtonProps = Common & Omit<JSX.IntrinsicElements["button"], "icon" | "children">;

export function Button({ kind, icon: Icon, children, ...rest }: ButtonProps): JSX.Element {
  return (
    <button type="button" {...rest} class={`button ${kind ?? ""} ${rest.class ?? ""}`}>
      {Icon && <Icon />}
      {children !== undefined && <span>{children}</span>}
    </button>
  );
}

type LinkProps = Common & { href: string; download?: boolean; target?: "_blank"; onClick?: () => void };

/** A link that looks like a button. */
export function ButtonLink({ kind, icon: Icon, children, ...rest }: LinkProps): JSX.Element {
  return (
    <a {...rest} class={`button ${kind ?? ""}`}>
      {Icon && <Icon />}
      {children !== undefined && <span>{children}</span>}
    </a>
  );
}

type IconButtonProps = { label: string; icon: ComponentType } & Omit<JSX.IntrinsicElements["button"], "icon" | "label">;

/** A button with only an icon. The label is its accessible name and tooltip. */
export function IconButton({ label, icon: Icon, ...rest }: IconButtonProps): JSX.Element {
  return <button type="button" {...rest} class={`icon-button ${rest.class ?? ""}`} aria-label={label} title={label}><Icon /></button>;
}

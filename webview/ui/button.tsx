import { h, type ComponentChild, type VNode } from 'preact';
import { Icon, type IconName } from './icon.js';

interface ButtonProps {
  label: string;
  onPress: () => void;
  /** Default: secondary. */
  appearance?: 'primary' | 'secondary';
  disabled?: boolean;
  /** Where the visible label alone would not tell buttons apart. */
  fullLabel?: string;
  title?: string;
}

/** A button with words on it: the toolkit's. */
export function Button({
  label,
  onPress,
  appearance = 'secondary',
  disabled,
  fullLabel,
  title,
}: ButtonProps): ComponentChild {
  const props = {
    appearance,
    disabled: disabled ?? false,
    'aria-label': fullLabel,
    title,
    onClick: onPress,
    dir: 'auto',
  };
  return h('vscode-button', props, label);
}

interface IconButtonProps {
  icon: IconName;
  /** Name and tooltip. */
  label: string;
  onPress: () => void;
  disabled?: boolean;
  /** Keys that do the same, shown in the tooltip. */
  keys?: string;
  className?: string;
}

/** A button with a picture on it. Native and not the toolkit's, because there are many and each of those is seven nodes. */
export function IconButton({ icon, label, onPress, disabled, keys, className }: IconButtonProps): VNode {
  return (
    <button
      type="button"
      class={`icon ${className ?? ''}`}
      aria-label={label}
      title={keys ? `${label} (${keys})` : label}
      disabled={disabled}
      onClick={onPress}
    >
      <Icon name={icon} />
    </button>
  );
}

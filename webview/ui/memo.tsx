import { Component, type ComponentChild, type FunctionComponent, type VNode } from 'preact';

/** A component that is drawn again only when one of its props is another value. */
export function memo<Props extends object>(draw: (props: Props) => VNode | null): FunctionComponent<Props> {
  class Memo extends Component<Props> {
    override shouldComponentUpdate(next: Props): boolean {
      return !isSame(this.props, next);
    }
    override render(props: Props): ComponentChild {
      const Draw: FunctionComponent<Props> = draw;
      return <Draw {...props} />;
    }
  }
  return (props: Props) => <Memo {...props} />;
}

function isSame(a: object, b: object): boolean {
  const before = Object.entries(a);
  return (
    before.length === Object.keys(b).length &&
    before.every(([key, value]) => (b as Record<string, unknown>)[key] === value)
  );
}

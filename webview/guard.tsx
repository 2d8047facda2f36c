import { Component, type ComponentChildren } from 'preact';
import type { Page } from './state.js';
import { strings } from './strings.js';
import { Button } from './ui/button.js';

interface GuardProps {
  page: Page;
  children: ComponentChildren;
}

/** Where drawing fails: a line that says so, with the way back, in place of an empty panel. */
export class Guard extends Component<GuardProps, { hasFailed: boolean }> {
  override state = { hasFailed: false };

  override componentDidCatch(error: unknown): void {
    this.props.page.host.report(error);
    this.setState({ hasFailed: true });
  }

  override render(): ComponentChildren {
    const { page, children } = this.props;
    if (!this.state.hasFailed) return children;
    const again = () => {
      const seen = page.snapshots.value;
      // What is here could not be drawn: what the host has may be.
      const stop = page.snapshots.subscribe((count) => {
        if (count === seen) return;
        stop();
        this.setState({ hasFailed: false });
      });
      page.post({ type: 'ready' });
    };
    return (
      <div class="notice error failed" role="alert">
        <p>{strings.pageFailed}</p>
        <Button label={strings.showAgain} appearance="primary" onPress={again} />
        <Button label={strings.nextStep('openLog')} onPress={() => page.next('openLog', {})} />
      </div>
    );
  }
}

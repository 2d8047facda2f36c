import * as vscode from 'vscode';
import type { DreamState } from '../memory/dream.js';
import type { Disposable } from '../platform/ports.js';
import { statusView } from './dreamWords.js';
import type { MemoryApp } from './memoryApp.js';
import { readUnread, watchUnread } from './unread.js';

/** Commands that links in the tooltip may run. */
const LINKED = ['nanobot.dreamLog', 'nanobot.openLog', 'workbench.action.openSettings'];
/** Milliseconds after which a window with something to read loads the agent, so that Dream can run by itself. */
const DUE_AFTER_MS = 120_000;

/**
 * Dream in the status bar. Until the agent is loaded it shows what the files say; from `follow` on, what Dream says. Nothing is read before the
 * item is there.
 */
export class DreamStatus {
  private readonly item: vscode.StatusBarItem;
  private source: Disposable | undefined;
  private due: NodeJS.Timeout | undefined;
  private following = false;
  private closed = false;

  /** `load` is called once, where there is something for Dream to read and nobody has loaded the agent before. */
  constructor(private readonly load: () => Promise<unknown>) {
    this.item = vscode.window.createStatusBarItem('nanobot.dream', vscode.StatusBarAlignment.Right, 100);
    this.item.name = 'Nanobot Dream';
    this.item.command = 'nanobot.dream';
    this.show(0);
    this.item.show();
  }

  /** Shows what the files of this home say, and keeps it true. */
  async glance(home: string): Promise<void> {
    const look = async () => {
      const unread = await readUnread(home);
      if (this.following || this.closed) return;
      this.show(unread);
      this.planLoad(unread);
    };
    await look();
    if (this.following || this.closed) return;
    this.source = watchUnread(home, () => void look());
  }

  /** Shows what Dream says from now on. */
  follow({ dream, clock, log }: Pick<MemoryApp, 'dream' | 'clock' | 'log'>): void {
    this.following = true;
    this.source?.dispose();
    clearTimeout(this.due);
    const look = async () => {
      const state = await dream.state();
      if (!this.closed) this.show(state.unread, { state, zone: clock.zone() });
    };
    const inTurn = latestOnly(look, (cause) => {
      log.error('The status bar could not be brought up to date.', cause);
    });
    this.source = dream.onChange(inTurn);
    inTurn();
  }

  dispose(): void {
    this.closed = true;
    clearTimeout(this.due);
    this.source?.dispose();
    this.item.dispose();
  }

  private planLoad(unread: number): void {
    const isOn = vscode.workspace.getConfiguration('nanobot').get('dream.enabled', true);
    if (unread === 0 || !isOn || this.due) return;
    this.due = setTimeout(() => {
      // A person hears why at the first thing they do.
      this.load().catch(() => undefined);
    }, DUE_AFTER_MS);
  }

  private show(unread: number, known?: { state: DreamState; zone: string }): void {
    const view = statusView(unread, known?.state, { now: Date.now(), zone: known?.zone ?? 'UTC' });
    this.item.text = view.text;
    this.item.accessibilityInformation = { label: view.label, role: 'button' };
    const tooltip = new vscode.MarkdownString(view.tooltip);
    tooltip.isTrusted = { enabledCommands: LINKED };
    this.item.tooltip = tooltip;
    this.item.backgroundColor = view.warning ? new vscode.ThemeColor('statusBarItem.warningBackground') : undefined;
  }
}

/** Runs one at a time; what is asked for meanwhile runs once, after it. */
function latestOnly(work: () => Promise<void>, failed: (cause: unknown) => void): () => void {
  let running = false;
  let again = false;
  const run = async (): Promise<void> => {
    running = true;
    do {
      again = false;
      await work().catch(failed);
    } while (again);
    running = false;
  };
  return () => {
    again = true;
    if (!running) void run();
  };
}

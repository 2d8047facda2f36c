import * as vscode from 'vscode';
import type { App } from '../../app.js';
import type { Clock } from '../../platform/ports.js';
import type { ActiveSession } from '../../protocol/wire.js';
import type { ChatActions } from './chatActions.js';
import { ChatController } from './chatController.js';
import type { ChatStorage, PageGroup } from './chatHandle.js';
import type { ChatListener, ChatPage } from './chatPage.js';
import { editorStorage } from './chatStorage.js';
import { CHAT_VIEW } from './chatView.js';
import { SessionActivity } from './sessionActivity.js';

/** The chat pages of this window: the view's, and one for each editor tab. */
export class Chats implements PageGroup, vscode.Disposable {
  private readonly pages = new Set<ChatController>();
  private view: ChatController | undefined;
  private last: ChatController | undefined;
  private waiting: ((chat: ChatController) => void)[] = [];
  private readonly active: SessionActivity;

  constructor(
    private readonly app: App,
    private readonly actions: ChatActions,
    private readonly storage: ChatStorage,
    private readonly clock: Clock,
  ) {
    this.active = new SessionActivity(app.bus, {
      isSeen: (key) => [...this.pages].some((page) => page.isSeen(key)),
      changed: () => {
        for (const page of this.pages) page.showActivity();
      },
    });
  }

  open(page: ChatPage): ChatListener {
    const storage = page.editor ? editorStorage(this.storage, page.editor.session) : this.storage;
    const chat = new ChatController(page, this.app, this.actions, storage, this.clock, this);
    this.pages.add(chat);
    if (page.editor) return chat;
    this.view = chat;
    for (const resolve of this.waiting.splice(0)) resolve(chat);
    return chat;
  }

  /** Shows in every page which model answers next. */
  async modelChanged(): Promise<void> {
    await Promise.all([...this.pages].map((chat) => chat.showModel()));
  }

  /** Brings the chat view up and resolves with its page. */
  async show(): Promise<ChatController> {
    await vscode.commands.executeCommand(`${CHAT_VIEW}.focus`);
    return this.view ?? new Promise((resolve) => this.waiting.push(resolve));
  }

  /** The page that had the focus last, in the view or an editor tab; else the view's, brought up. */
  async current(): Promise<ChatController> {
    return this.last ?? this.show();
  }

  /** The session of that page; undefined where none is open. */
  shownKey(): string | undefined {
    return (this.last ?? this.view)?.sessionKey;
  }

  activity(): ActiveSession[] {
    return this.active.list();
  }

  waitingForPerson(): number {
    return this.active.waitingForPerson();
  }

  saw(key: string): void {
    this.active.saw(key);
  }

  isShownElsewhere(key: string, page: object): boolean {
    return [...this.pages].some((other) => other !== page && other.sessionKey === key);
  }

  isSentElsewhere(id: string, page: object): boolean {
    return [...this.pages].some((other) => other !== page && other.hasSent(id));
  }

  async deleted(key: string): Promise<void> {
    this.active.forget(key);
    const showing = [...this.pages].filter((page) => page.sessionKey === key);
    await Promise.all(showing.map((page) => page.open(this.app.newSessionKey('vscode'))));
  }

  focused(page: object): void {
    this.last = [...this.pages].find((known) => known === page) ?? this.last;
  }

  closed(page: object): void {
    for (const known of this.pages) if (known === page) this.pages.delete(known);
    if (this.view === page) this.view = undefined;
    if (this.last === page) this.last = undefined;
  }

  dispose(): void {
    this.active.dispose();
  }
}

import * as vscode from 'vscode';
import type { App } from '../../app.js';
import type { Clock } from '../../platform/ports.js';
import type { ChatActions } from './chatActions.js';
import { ChatController } from './chatController.js';
import type { ChatStorage } from './chatHandle.js';
import { CHAT_VIEW, type ChatListener, type ChatPage } from './chatView.js';

/** The chat pages of this window. */
export class Chats {
  private readonly pages = new Set<ChatController>();
  private waiting: ((chat: ChatController) => void)[] = [];

  constructor(
    private readonly app: App,
    private readonly actions: ChatActions,
    private readonly storage: ChatStorage,
    private readonly clock: Clock,
  ) {}

  open(page: ChatPage): ChatListener {
    const chat = new ChatController(page, this.app, this.actions, this.storage, this.clock, (closed) => {
      this.pages.delete(closed);
    });
    this.pages.add(chat);
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
    const [chat] = this.pages;
    return chat ?? new Promise((resolve) => this.waiting.push(resolve));
  }
}

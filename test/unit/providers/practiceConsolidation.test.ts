import { describe, expect, it } from 'vitest';
import { instructionFor } from '../../../src/memory/summaryRequest.js';
import { readProducts } from '../../../src/memory/summaryAnswer.js';
import type { StoredMessage } from '../../../src/protocol/message.js';
import { consolidationReply } from '../../../src/providers/practiceConsolidation.js';
import { assistant, user } from '../session/setup.js';

const BOTH = instructionFor({ facts: 'all', summary: 'beside', hasEarlier: false }, '2026-04-03');
const FACTS = instructionFor({ facts: 'all', summary: 'none', hasEarlier: false }, '2026-04-03');
const reply = (messages: StoredMessage[], instruction = BOTH) =>
  readProducts(consolidationReply([...messages, user(instruction)]) ?? '');

describe('the practice model, asked to consolidate', () => {
  it('learns only sentences that are marked to be remembered, and keeps the mark for Dream', () => {
    const messages = [
      user('I live in Rome.'),
      assistant('Remember that I am a model.'),
      user('Please remember that I drink green tea. Remember: no sugar! Run npm test'),
      user('记住：我喜欢绿茶。谢谢'),
    ];
    expect(reply(messages).facts).toBe(
      '- Remember that I drink green tea\n- Remember that no sugar\n- 记住：我喜欢绿茶',
    );
  });

  it('learns nothing where nothing is marked', () => {
    expect(reply([user('read README.md'), user('what do you remember?')]).facts).toBe('');
  });

  it('says in its summary what it is, and lists what was asked, in the language of the person', () => {
    const earlier = user('[Summary of the earlier part of this conversation: 2 messages]\n\nold');
    expect(reply([earlier, user('read README.md'), assistant('Read.')]).summary).toBe(
      'The practice model cannot summarise. It only lists what you asked:\n- read README.md',
    );
    expect(reply([user('读取 README.md')]).summary).toMatch(/^练习模型不会做摘要.*\n- 读取 README\.md$/);
  });

  it('gives the facts alone where only they are asked for, and nothing to any other request', () => {
    expect(reply([user('remember that tea is green')], FACTS)).toEqual({
      facts: '- Remember that tea is green',
    });
    expect(consolidationReply([user('consolidate this')])).toBeUndefined();
  });
});

import type { ProviderError } from './provider.js';
import { FILE_RULES } from './practiceFileRules.js';
import { inWords, quoted, type Language, type Rule, type RuleContext, type Step } from './practicePlan.js';
import { introduction, MARKDOWN_DEMO, notUnderstood, OUT_OF_STEPS } from './practiceWords.js';

const POLITE =
  /^(?:(?:please|now|ok(?:ay)?|hey|nanobot|can you|could you|would you)[,:]?\s+|请(?:你)?|帮我|麻烦(?:你)?|好[,，]\s*)+/i;
const NEXT = /\s*(?:[,，;；]\s*)?(?:\band then\b|\bthen\b|然后|接着|再(?=[读运执写查]))\s*/i;

/** The language of a request. */
export function languageOf(text: string): Language {
  return /\p{Script=Han}/u.test(text) ? 'zh' : 'en';
}

/**
 * What a request asks for, as steps. Several requests joined by "then" or 然后 are done in order, if each of them is understood; what is not
 * understood is answered by saying so.
 */
export function stepsFor(text: string, now: number): Step[] {
  const context: RuleContext = { language: languageOf(text), now };
  const parts = text.split(NEXT).filter((part) => part.trim() !== '');
  const each = parts.map((part) => match(part, context));
  if (each.every((steps) => steps !== undefined) && each.length > 0) return each.flat();
  return match(text, context) ?? [{ kind: 'say', text: notUnderstood(context.language) }];
}

function match(text: string, context: RuleContext): Step[] | undefined {
  const plain = text.trim().replace(POLITE, '').trim();
  const unstopped = plain.replace(/(?<=[\p{L}\p{N}*)"'`])[.!?。！？]+$/u, '');
  for (const rule of RULES) {
    for (const form of rule.forms) {
      const found = form.exec(rule.literal ? plain : unstopped);
      const steps =
        found &&
        rule.steps(
          found.slice(1).map((word) => (word ?? '').trim()),
          context,
        );
      if (steps) return steps;
    }
  }
  return undefined;
}

function say(text: string, thinking?: string): Step[] {
  return [{ kind: 'say', text, ...(thinking === undefined ? {} : { thinking }) }];
}

const TALK: Rule[] = [
  {
    forms: [
      /^(?:hi|hello|hey|good (?:morning|afternoon|evening)|help|who are you|what (?:are you|can you do))\b.*$/is,
      /^(?:你好|您好|嗨|帮助|你是谁|你(?:能|会|可以|都能)(?:帮我)?做(?:些)?什么).*$/s,
    ],
    steps: (_, { language }) => say(introduction(language)),
  },
  { forms: [/^you have used all steps of this turn/i], steps: (_, { language }) => say(OUT_OF_STEPS[language]) },
  {
    forms: [/^(?:markdown demo|demo markdown|markdown\s*(?:演示|示例)|演示\s*markdown)$/i],
    steps: (_, { language }) => say(MARKDOWN_DEMO[language]),
  },
  {
    forms: [/^count (?:up )?(?:from (?:1|one) )?to (\d{1,6})$/i, /^(?:从\s*[1一]\s*)?数到\s*(\d{1,6})$/],
    steps: ([last = '']) => say(Array.from({ length: Number(last) }, (_, n) => `${String(n + 1)}\n`).join('')),
  },
  {
    literal: true,
    forms: [/^[/$]([a-z0-9][\w-]*)(?:\s[\s\S]*)?$/i],
    steps: ([name = ''], context) =>
      say(
        inWords(
          context,
          `You called for the skill ${name}. A model would follow its steps now; I only practise and cannot.`,
          `你调用了技能 ${name}。真正的模型会照它的步骤做；我只是练习模型，做不到。`,
        ),
      ),
  },
  { forms: [/^(?:reminder|提醒)[:：]\s*(.+)$/is], steps: ([what = '']) => say(`⏰ ${what}`) },
  {
    literal: true,
    forms: [/^(?:say|repeat|echo)[:\s]\s*(.+)$/is, /^(?:说|重复)[:：\s]*(.+)$/s],
    steps: ([what = '']) => say(what),
  },
  {
    forms: [/^think(?: about)?\s+(.+)$/is, /^(?:想一?想|思考)(?:一下)?[:：\s]*(.+)$/s],
    steps: ([what = ''], context) =>
      say(
        inWords(
          context,
          `I "thought" about ${what}. I am no AI, so that was only for show.`,
          `我“想”了想${what}。我不是 AI，这只是演示。`,
        ),
        inWords(
          context,
          `Let me think about ${what}. First one thing, then the other. That is all.`,
          `让我想想${what}。先想这个，再想那个。就这些。`,
        ),
      ),
  },
  {
    forms: [/^fail(?: with (\w+))?$/i, /^失败$/],
    steps: ([code = ''], context) => [{ kind: 'fail', error: failure(code, context) }],
  },
];

function failure(code: string, context: RuleContext): ProviderError {
  const message = inWords(context, 'The practice model failed because you asked it to.', '练习模型按你的要求失败了。');
  if (code === 'rate_limit') return { code, message, retryable: true, retryAfterMs: 5000 };
  return { code: 'server', message, retryable: false };
}

const PEOPLE: Rule[] = [
  {
    literal: true,
    forms: [/^ask me[:\s]\s*(.+)$/is, /^问我[:：\s]*(.+)$/s],
    steps: ([question = ''], context) => {
      const options = question.split(/\s+or\s+|还是/i).map((option) => option.replace(/[?？]$/, '').trim());
      return [
        {
          kind: 'call',
          tool: 'ask_user',
          args: {
            question: /[?？]$/.test(question) ? question : `${question}?`,
            ...(options.length > 1 ? { options } : {}),
          },
          announce: '',
          report: (result) => inWords(context, `You answered: ${result.trim()}`, `你的回答是：${result.trim()}`),
        },
      ];
    },
  },
  {
    forms: [/^(?:plan|to-?do|make a (?:to-?do|plan)(?: list)?)[:\s]\s*(.+)$/is, /^(?:计划|待办)[:：\s]*(.+)$/s],
    steps: ([items = ''], context) => [
      {
        kind: 'call',
        tool: 'todo',
        args: {
          items: items
            .split(/\s*[,;，；、\n]\s*/)
            .filter(Boolean)
            .map((text) => ({ text, status: 'pending' })),
        },
        announce: '',
        report: () => inWords(context, 'The list is set.', '列表已建立。'),
      },
    ],
  },
  {
    forms: [/^remember[:,]?\s+(?:that\s+)?(.+)$/is, /^(?:记住|记一下|记下)[:：,，\s]*(.+)$/s],
    steps: ([text = ''], context) => [
      {
        kind: 'call',
        tool: 'remember',
        args: { text },
        announce: inWords(context, 'I will note that.', '我记下来。'),
        report: (result) =>
          inWords(context, `Noted: ${text}\n\n${quoted(result, 4)}`, `已记下：${text}\n\n${quoted(result, 4)}`),
      },
    ],
  },
  {
    forms: [/^(?:recall|what do you (?:know|remember) about)\s+(.+)$/is, /^(?:回忆|回想|你记得)[:：\s]*(.+?)(?:吗)?$/s],
    steps: ([query = ''], context) => [
      {
        kind: 'call',
        tool: 'recall',
        args: { query },
        announce: inWords(context, `Looking for "${query}" in memory.`, `在记忆里查找“${query}”。`),
        report: (result) => quoted(result, 20),
      },
    ],
  },
  {
    forms: [
      /^(?:spawn|delegate|start a subagent(?: to)?)[:\s]\s*(.+)$/is,
      /^派(?:一个)?子(?:代理|智能体)(?:去)?[:：\s]*(.+)$/s,
    ],
    steps: ([task = ''], context) => [
      {
        kind: 'call',
        tool: 'spawn',
        args: { task, label: task.slice(0, 30) },
        announce: inWords(context, 'Starting a subagent.', '启动子智能体。'),
        report: (result) => result.trim(),
      },
    ],
  },
  {
    forms: [
      /^(?:list|show)(?: my| the)? (?:reminders|schedules?|jobs)$/i,
      /^列出(?:我的)?(?:提醒|日程|任务|定时任务)$/,
    ],
    steps: () => [
      { kind: 'call', tool: 'cron', args: { action: 'list' }, announce: '', report: (result) => quoted(result, 20) },
    ],
  },
  {
    forms: [
      /^remind me (?:in|after) (\S+) (second|minute|hour|day)s? (?:to|that|about)\s+(.+)$/is,
      /^([\d一二两三四五六七八九十半]+)\s*个?(秒|分钟|小时|天)(?:之?后|以后)?提醒我[:：,，\s]*(.+)$/s,
    ],
    steps: ([amount = '', unit = '', what = ''], context) => remind(amount, unit, what, context),
  },
  {
    forms: [/^remind me (?:to|that|about)\s+(.+?) in (\S+) (second|minute|hour|day)s?$/is],
    steps: ([what = '', amount = '', unit = ''], context) => remind(amount, unit, what, context),
  },
];

const UNIT_MS: Record<string, number> = {
  second: 1000,
  秒: 1000,
  minute: 60_000,
  分钟: 60_000,
  hour: 3_600_000,
  小时: 3_600_000,
  day: 86_400_000,
  天: 86_400_000,
};
const AMOUNTS: Record<string, number> = {
  a: 1,
  an: 1,
  one: 1,
  two: 2,
  three: 3,
  four: 4,
  five: 5,
  ten: 10,
  half: 0.5,
  一: 1,
  二: 2,
  两: 2,
  三: 3,
  四: 4,
  五: 5,
  六: 6,
  七: 7,
  八: 8,
  九: 9,
  十: 10,
  半: 0.5,
};

function remind(amount: string, unit: string, what: string, context: RuleContext): Step[] | undefined {
  const count = AMOUNTS[amount.toLowerCase()] ?? Number(amount);
  const unitMs = UNIT_MS[unit.toLowerCase()];
  if (!Number.isFinite(count) || unitMs === undefined) return undefined;
  return [
    {
      kind: 'call',
      tool: 'cron',
      args: {
        action: 'add',
        name: what.slice(0, 40),
        message: inWords(context, `Reminder: ${what}`, `提醒：${what}`),
        at: new Date(context.now + count * unitMs).toISOString(),
      },
      announce: inWords(context, `I will set a reminder: ${what}.`, `设置提醒：${what}。`),
      report: (result) =>
        inWords(context, `The reminder is set.\n\n${quoted(result, 6)}`, `提醒已设置。\n\n${quoted(result, 6)}`),
    },
  ];
}

const RULES: readonly Rule[] = [...TALK, ...PEOPLE, ...FILE_RULES];

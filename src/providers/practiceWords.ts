import { t } from '@vscode/l10n';
import type { Language } from './practicePlan.js';

/** A sentence in both languages, chosen by the request's. */
export type Said = Record<Language, string>;

/** How the command that sets a key is found in the command palette. */
function setKeyCommand(): string {
  return `**${t('Nanobot: Set API Key')}**`;
}

export function introduction(language: Language): string {
  return language === 'zh'
    ? `我是练习模型：离线运行，不是 AI。我会流式输出、真正调用工具，也听得懂一些简单的请求，方便你在用 ${setKeyCommand()} 设置密钥之前试用全部功能。

可以试试：

- 读 README.md
- 列出 src，或 glob *.ts
- 查找 TODO
- 运行 npm test
- 写 hello.txt 内容 你好
- 把 hello.txt 里的 你好 换成 再见
- 有什么问题
- 数到 50，markdown 演示`
    : `I am the practice model: offline, no AI. I stream, I call the real tools, and I understand a few plain requests, so you can try everything before you set a key with ${setKeyCommand()}.

Try one of these:

- read README.md
- list src, or glob *.ts
- find TODO
- run npm test
- write hello.txt with Hello
- replace Hello with Goodbye in hello.txt
- what are the problems
- count to 50, markdown demo`;
}

export function notUnderstood(language: Language): string {
  return language === 'zh'
    ? `我是练习模型：离线运行，不是 AI，只听得懂少数简单的请求，这一条不在其中。输入“帮助”看看有哪些，或用 ${setKeyCommand()} 设置密钥，与真正的模型对话。`
    : `I am the practice model: offline, no AI. I only follow a few plain requests, and this was none of them. Say "help" to see which, or set a key with ${setKeyCommand()} to talk to a real model.`;
}

export const OUT_OF_STEPS: Said = {
  en: 'All steps of this turn are used. What was done stands above; send a message to go on.',
  zh: '这一轮的步骤已用完。已完成的内容在上面；发一条消息即可继续。',
};

export const MARKDOWN_DEMO: Said = {
  en: `# Markdown demo

Plain text with **bold**, *italic*, \`code\` and a [link](https://code.visualstudio.com).

## A code block

\`\`\`ts
export function greet(name: string): string {
  return \`Hello, \${name}!\`;
}
\`\`\`

## A table

| what | how many |
| --- | ---: |
| apples | 3 |
| pears | 12 |

## A task list

- [x] read the demo
- [ ] set a key
- [ ] ask a real model

> A quotation, and a path with a line: src/main.js:1

1. first
2. second
   - nested
`,
  zh: `# Markdown 演示

普通文字，带有**粗体**、*斜体*、\`代码\`和一个[链接](https://code.visualstudio.com)。

## 代码块

\`\`\`ts
export function greet(name: string): string {
  return \`你好，\${name}！\`;
}
\`\`\`

## 表格

| 什么 | 多少 |
| --- | ---: |
| 苹果 | 3 |
| 梨 | 12 |

## 任务列表

- [x] 看演示
- [ ] 设置密钥
- [ ] 问一问真正的模型

> 一段引文，以及带行号的路径：src/main.js:1

1. 第一
2. 第二
   - 嵌套
`,
};

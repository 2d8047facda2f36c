/** Another extension: it has a tool of its own, calls tools as another agent does, and says what the editor lists. */
export const acme = {
  'package.json': JSON.stringify({
    name: 'acme',
    publisher: 'test',
    version: '1.0.0',
    engines: { vscode: '^1.100.0' },
    main: './main.js',
    activationEvents: ['onStartupFinished'],
    contributes: {
      commands: [{ command: 'acme.ask', title: 'Ask', category: 'Acme' }],
      languageModelChatProviders: [{ vendor: 'acme', displayName: 'Acme' }],
      languageModelTools: [
        {
          name: 'acme_weigh',
          displayName: 'Weigh',
          modelDescription: 'Weighs a fruit.',
          inputSchema: { type: 'object', properties: { fruit: { type: 'string' } } },
        },
      ],
    },
  }),
  'main.js': `const vscode = require('vscode');
const fs = require('fs');
const path = require('path');
exports.activate = (context) => {
  const model = { id: 'acme-1', name: 'Acme 1', family: 'acme', version: '1', maxInputTokens: 9000, maxOutputTokens: 900, isUserSelectable: true, capabilities: { toolCalling: true } };
  context.subscriptions.push(vscode.lm.registerLanguageModelChatProvider('acme', {
    provideLanguageModelChatInformation: () => [model],
    provideLanguageModelChatResponse: async (_model, _messages, _options, progress) => progress.report(new vscode.LanguageModelTextPart('from acme')),
    provideTokenCount: async () => 1,
  }));
  void vscode.lm.selectChatModels({ vendor: 'acme' });
  context.subscriptions.push(
    vscode.lm.registerTool('acme_weigh', {
      invoke: ({ input }) => new vscode.LanguageModelToolResult([new vscode.LanguageModelTextPart('a ' + input.fruit + ' of 200 g')]),
    }),
    vscode.commands.registerCommand('acme.ask', async () => {
      const folder = vscode.workspace.workspaceFolders[0].uri.fsPath;
      const { name, input } = JSON.parse(fs.readFileSync(path.join(folder, 'ask.json'), 'utf8'));
      const answer = { tools: vscode.lm.tools.map(({ name }) => name) };
      try {
        const { content } = await vscode.lm.invokeTool(name, { input, toolInvocationToken: undefined });
        answer.text = content.map(({ value }) => value).join('');
      } catch (error) {
        answer.error = error.message;
      }
      fs.writeFileSync(path.join(folder, 'answer.json.new'), JSON.stringify(answer));
      fs.renameSync(path.join(folder, 'answer.json.new'), path.join(folder, 'answer.json'));
    }),
  );
};
`,
};

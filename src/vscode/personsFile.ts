import * as vscode from 'vscode';

/** Whether a URI is a file of a person: on the disk or in a folder of the workspace, not a log or one side of a diff. */
export function isPersonsFile(uri: vscode.Uri): boolean {
  return uri.scheme === 'file' || vscode.workspace.getWorkspaceFolder(uri) !== undefined;
}

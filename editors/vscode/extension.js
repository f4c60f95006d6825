"use strict";

const { workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

/** Starts the language server for the documents in which a site states its policy. */
function activate() {
  const settings = workspace.getConfiguration("acap");
  const [command, ...args] = settings.get("command");
  const documentSelector = [
    { language: "robots-txt" },
    { pattern: "**/tdmrep.json" },
    { pattern: "**/ai.txt" },
    { pattern: "**/*.rsl" },
    { pattern: "**/*.headers" },
  ];
  if (settings.get("pages")) documentSelector.push({ language: "html" });
  client = new LanguageClient("acap", "acap", { command, args }, {
    documentSelector,
    synchronize: { fileEvents: workspace.createFileSystemWatcher("**/{acap,pyproject}.toml") },
  });
  return client.start();
}

/** Stops it. */
function deactivate() {
  return client && client.stop();
}

module.exports = { activate, deactivate };

// Loaded into Azurite's process before Azurite itself (`node --require`).
//
// Azurite keeps its metadata in memory and writes it to disk every five seconds. A kill in between loses blobs whose
// writes it has answered already, which Azure never does. So the answer to a write waits until the metadata is on disk.
"use strict";

const http = require("http");
const path = require("path");

const SAFE_METHODS = new Set(["GET", "HEAD", "OPTIONS"]);
const script = path.dirname(process.argv[1]);
const Loki = require(require.resolve("lokijs", { paths: [script] }));

const stores = new Set();
const configureOptions = Loki.prototype.configureOptions;
Loki.prototype.configureOptions = function (...args) {
  // Each store's constructor comes by here.
  stores.add(this);
  return configureOptions.apply(this, args);
};

function save(store) {
  return new Promise((resolve, reject) =>
    store.saveDatabase((error) => (error ? reject(error) : resolve())),
  );
}

const end = http.ServerResponse.prototype.end;
http.ServerResponse.prototype.end = function (...args) {
  if (SAFE_METHODS.has(this.req.method)) {
    return end.apply(this, args);
  }
  // A save that goes on has begun before this answer, and may end after a kill.
  const dirty = [...stores].filter((store) => store.autosaveDirty() || store.throttledSavePending);
  Promise.all(dirty.map(save)).then(
    () => end.apply(this, args),
    (error) => this.destroy(error),
  );
  return this;
};

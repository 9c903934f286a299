// Kubeconfigs. The browser saves each as a file, and the page keeps nothing of it. The key of one that ends is made
// here, and never sent.

import { element } from "./elements.js";

export async function saveKubeconfig(api, cluster) {
  const { body } = await api.send("POST", `${cluster.id}/listAdminCredentials`);
  save(`${cluster.name}.kubeconfig`, decoded(body.kubeconfig));
}

export async function saveKubeconfigThatEnds(api, cluster, expirationSeconds) {
  const pair = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, ["sign", "verify"]);
  const publicKey = await pem("PUBLIC KEY", "spki", pair.publicKey);
  const { body } = await api.send("POST", `${cluster.id}/requestAdminCredential`, { publicKey, expirationSeconds });
  const key = btoa(await pem("PRIVATE KEY", "pkcs8", pair.privateKey));
  const whole = decoded(body.kubeconfig).replace(
    /^( *)client-certificate-data:.*$/m, (line, indent) => `${line}\n${indent}client-key-data: ${key}`);
  save(`${cluster.name}-until-${body.expirationTime.replaceAll(":", "").slice(0, 15)}.kubeconfig`, whole);
}

function save(name, text) {
  const address = URL.createObjectURL(new Blob([text], { type: "application/yaml" }));
  element("a", { href: address, download: name }).click();
  URL.revokeObjectURL(address);
}

function decoded(text) {
  return new TextDecoder().decode(Uint8Array.from(atob(text), (character) => character.charCodeAt(0)));
}

async function pem(heading, format, key) {
  const bytes = new Uint8Array(await crypto.subtle.exportKey(format, key));
  const lines = btoa(String.fromCharCode(...bytes)).match(/.{1,64}/g).join("\n");
  return `-----BEGIN ${heading}-----\n${lines}\n-----END ${heading}-----\n`;
}

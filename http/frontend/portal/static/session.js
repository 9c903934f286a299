// Who calls: somebody who has signed in with Entra, or an operator whose browser has a certificate. Tokens are in memory
// alone: after a reload the page asks again.

export class SignedOut extends Error {}

// Returns the session of a configuration. `operates` tells whether the caller may ask below `/sre`.
export function open(configuration) {
  return configuration.authority ? withTokens(configuration) : withCertificate();
}

// The browser adds the certificate by itself, and asks its user for it.
function withCertificate() {
  return { name: "Operator, by certificate", operates: true, signsIn: false, headers: async () => ({}) };
}

async function withTokens({ authority, clientId, scope }) {
  const msal = globalThis.msal;
  const application = new msal.PublicClientApplication({
    auth: { clientId, authority, redirectUri: `${location.origin}/portal/signed-in.html` },
    cache: { cacheLocation: msal.BrowserCacheLocation.MemoryStorage },
  });
  await application.initialize();
  let account = null;

  return {
    signsIn: true,
    get name() { return account?.username ?? ""; },
    get operates() { return (account?.idTokenClaims?.roles ?? []).some((role) => role.startsWith("Operator")); },
    // Opens the pop-up; a browser allows that only while it handles a click.
    async signIn() {
      const found = await application.loginPopup({ scopes: [scope], prompt: account ? undefined : "select_account" });
      account = found.account;
    },
    async headers() {
      if (!account) throw new SignedOut();
      try {
        // Without a hidden frame, which this page's policy would forbid.
        const cacheLookupPolicy = msal.CacheLookupPolicy.AccessTokenAndRefreshToken;
        const found = await application.acquireTokenSilent({ scopes: [scope], account, cacheLookupPolicy });
        return { Authorization: `Bearer ${found.accessToken}` };
      } catch (error) {
        if (error instanceof msal.InteractionRequiredAuthError) throw new SignedOut(error.message);
        throw error;
      }
    },
  };
}

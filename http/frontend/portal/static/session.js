// Who calls: somebody who has signed in with Entra. Tokens are in memory alone: after a reload the page asks again.

export class SignedOut extends Error {}

export async function open({ authority, clientId, scope }) {
  const msal = globalThis.msal;
  const application = new msal.PublicClientApplication({
    auth: { clientId, authority, redirectUri: `${location.origin}/portal/signed-in.html` },
    cache: { cacheLocation: msal.BrowserCacheLocation.MemoryStorage },
  });
  await application.initialize();
  let account = null;

  return {
    get name() { return account?.username ?? ""; },
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

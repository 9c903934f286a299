// Entra sends the pop-up of the sign-in here. What it brings is passed to the page that has opened it.

try {
  await globalThis.msalRedirectBridge.broadcastResponseToMainFrame();
} catch (error) {
  document.getElementById("said").textContent =
    `The sign-in has not worked: ${error.message} Close this window, and sign in again on the page.`;
}

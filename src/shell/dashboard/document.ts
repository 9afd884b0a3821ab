/** The page as one document: style and script, and the policy that lets a browser run only these. */

import { ownPolicy } from '../web-kit/own-document.js';
import { chartLicence, readPageScript } from '../web-kit/page-script.js';
import { STYLE } from './style.js';

/** `policy`: `content-security-policy`. */
export function pageDocument() {
  const script = readPageScript(new URL('./page/main.js', import.meta.url));
  const style = STYLE.replace(/\s*([{};])\s*|([:,])\s+/g, '$1$2');
  const html = `<!doctype html>
<!-- Charts by uPlot. ${chartLicence()}
Templates by Preact, Copyright (c) 2015-present Jason Miller, under the same licence, and by htm, Copyright 2018 Google Inc., under the Apache License 2.0 (http://www.apache.org/licenses/LICENSE-2.0). -->
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Twinbook</title>
<style>${style}</style>
</head>
<body>
<noscript><p class="banner">This page needs its script. The command line does the same: twinbook status, twinbook kill.</p></noscript>
<div id="page"></div>
<script type="module">${script}</script>
</body>
</html>
`;
  return { html, policy: ownPolicy(script, style) };
}

import type { JSX } from "preact";
import { Button } from "../ui/button.js";
import { EmptyState } from "../ui/feedback.js";
import { Retry, User } from "../ui/icon.js";
import { Page } from "../ui/page.js";

/** What operators see who have no session. Sessions begin in the web app, and count for all ports of its host name. */
export function SignIn(): JSX.Element {
  return (
    <Page title="Sign in">
      <EmptyState icon={User} title="These pages need an operator" action={<Button kind="primary" icon={Retry} onClick={() => location.reload()}>I have signed in</Button>}>
        Sign in to the web app as an operator, in this browser and under the host name <code>{location.hostname}</code>. Its session is valid here too.
        Programs send the header Authorization with the API key of an operator.
      </EmptyState>
    </Page>
  );
}

package app

import (
	"fmt"
	"regexp"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/assay-project/assay/pkg/identity/oidctest"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

const (
	signedIn  = `document.querySelector(".top")`
	signedOut = `document.querySelector("input[name=key]")`
)

// TestSignIn proves that users can sign in with a key or with an identity provider, and that signing out ends the
// session in all pages of the browser.
func TestSignIn(t *testing.T) {
	t.Parallel()
	b := Start(t)
	t.Run("key", func(t *testing.T) {
		s := system.StartServer(t, t.TempDir(), "ASSAY_AUTH=token")
		byKey(t, b, s.System, regexp.MustCompile(`assay_[a-z2-7]{16}_[a-z2-7]{52}`).FindString(s.Program.Written()))
	})
	t.Run("provider", func(t *testing.T) {
		provider := oidctest.New(t)
		s := system.StartServer(t, t.TempDir(), "ASSAY_AUTH=token",
			"ASSAY_OIDC_ISSUER="+provider.Issuer(), "ASSAY_OIDC_CLIENT_ID="+provider.ClientID, "ASSAY_OIDC_CLIENT_SECRET="+provider.ClientSecret)
		byProvider(t, b, s.System, provider)
	})
}

// enter types a key into the focused field, whose content is selected.
func (p *Page) enter(t *testing.T, key string) {
	t.Helper()
	p.Wait(t, `document.activeElement?.name === "key"`)
	p.Press(t, key)
	p.Press(t, kb.Enter)
}

func byKey(t *testing.T, b *Browser, s system.System, key string) {
	p := b.Open(t, s.HTTP, "/files")
	p.See(t, "h1", "Sign in")
	p.State(t, "sign-in")
	p.enter(t, "assay_wrong")
	p.See(t, ".error", "This key does not exist")
	p.State(t, "sign-in-refused")
	p.enter(t, key)
	p.arrive(t, signedIn)
	p.See(t, ".empty h2", "No text files yet")
	if kept := Read[string](t, p, `document.cookie + JSON.stringify(localStorage) + JSON.stringify(sessionStorage)`); regexp.MustCompile("assay_").MatchString(kept) {
		t.Errorf("scripts can read a key in %s", kept)
	}

	p.Drop(t, text("dropped.txt", "one two two"))
	p.See(t, ".tray .completed", "3 words")
	p.Eval(t, `const form = new FormData();
		form.append("file", new File(["one"], "elsewhere.txt", { type: "text/plain" }));
		await fetch("/v1/files", { method: "POST", body: form })`)
	p.See(t, doneRow, "elsewhere.txt") // without a reload
	p.Click(t, ".rows a", "dropped.txt")
	p.See(t, ".numbers dd", "3")
	link := Read[string](t, p, "location.pathname")
	const content = `fetch(document.querySelector("a[download]").href).then((r) => r.text())`
	if got := Read[string](t, p, content); got != "one two two" {
		t.Errorf("the download is %q, want %q", got, "one two two")
	}
	p.Click(t, ".top button", "Account and settings")
	p.State(t, "account-menu")
	p.Press(t, kb.Escape)

	// After another page of this browser signs out, this page hides its content.
	p.Eval(t, `const other = window.open("/files"), until = async (find) => {
			for (;;) {
				const found = find();
				if (found) return found;
				await new Promise((done) => setTimeout(done, 20));
			}
		};
		(await until(() => other.document.querySelector("[aria-label='Account and settings']"))).click();
		(await until(() => [...other.document.querySelectorAll("[role=menuitem]")].find((e) => e.textContent.includes("Sign out")))).click();
		await until(() => other.document.querySelector("input[name=key]"));
		other.close()`)
	p.See(t, "h1", "Sign in")
	if status := Read[int](t, p, fmt.Sprintf(`(async () => {
		document.cookie = "assay-owner=operator; path=/";
		return (await fetch("/v1%s")).status;
	})()`, link)); status != 401 {
		t.Errorf("with only the owner's cookie, the file returned status %d, want 401", status)
	}
	p.Go(t, link) // the requested page opens after the sign-in
	p.See(t, "h1", "Sign in")
	p.enter(t, key)
	p.arrive(t, signedIn)
	p.See(t, "h1", "dropped.txt")

	public := Read[string](t, p, `(async () => {
		const send = async (method, path, body) => {
			const response = await fetch("/v1/library" + path, { method, headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
			return response.json();
		};
		const { id } = await send("POST", "/folders", { name: "Open to all" });
		await send("POST", "/folders", { name: "Inside", parentId: id });
		await send("PUT", "/nodes/" + id + "/permissions", { isPublic: true });
		return id;
	})()`)
	visitor := b.Open(t, s.HTTP, "/library/"+public) // without signing in
	visitor.See(t, "h1", "Open to all")
	visitor.Click(t, ".rows .name", "Inside")
	visitor.See(t, "h1", "Inside")
	visitor.State(t, "library-public")
	visitor.Go(t, "/library")
	visitor.See(t, "h1", "Sign in")

	operator := b.Open(t, s.Operator, "/operations")
	operator.See(t, ".empty h2", "Operator sign-in required")
	operator.State(t, "operations-sign-in")
	if at := Read[string](t, operator, `fetch(document.querySelector(".empty a").href, { redirect: "manual" }).then((r) => r.type)`); at != "opaqueredirect" {
		t.Errorf("the link to sign in returns a response of type %q, want a redirect", at)
	}
	operator.do(t, chromedp.Navigate(s.Operator+"/operations/sign-in"))
	operator.Wait(t, `location.port === new URL("`+s.HTTP+`").port`)
	operator.See(t, "h1", "Sign in")
	p.do(t, chromedp.Navigate(s.Operator+"/operations")) // the session is valid for all ports of the host
	p.See(t, ".numbers div", "Dead letters0")
}

func byProvider(t *testing.T, b *Browser, s system.System, provider *oidctest.Provider) {
	provider.SetUser(map[string]any{"sub": "grace", "name": "Grace Hopper", "email": "grace@example.com"})
	p := b.Open(t, s.HTTP, "/photos?status=failed")
	p.See(t, "a.button", "Sign in with your account")
	p.State(t, "sign-in-provider")
	p.Click(t, "a.button", "Sign in with your account")
	p.arrive(t, signedIn)
	if at := Read[string](t, p, "location.pathname + location.search"); at != "/photos?status=failed" {
		t.Errorf("the sign-in opened %s, want /photos?status=failed", at)
	}
	p.Click(t, ".top button", "Account and settings")
	p.Click(t, "[role=menuitem]", "Sign out Grace Hopper")
	p.arrive(t, signedOut)
	provider.SetDown(true)
	p.do(t, chromedp.Navigate(s.HTTP+"/v1/session/callback?code=forged&state=forged"))
	p.See(t, "h1", "The sign-in has failed")
	p.State(t, "sign-in-failed")
}

package identity

import (
	"net/url"

	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"
)

const pageStyle = `:root{color-scheme:light dark;background:Canvas;color:CanvasText}` +
	`body{background:Canvas;font:16px/1.5 system-ui,sans-serif;max-width:32rem;margin:20vh auto;padding:0 1rem}`

// donePage continues to a path of this server after a sign-in.
func donePage(to string) g.Node {
	return document("Signed in - Assay", h.Meta(g.Attr("http-equiv", "refresh"), h.Content("0;url="+escaped(to))),
		h.P(g.Text("You are signed in. "), h.A(h.Href(escaped(to)), g.Text("Continue"))))
}

// failedPage offers another sign-in, which continues to a path of this server.
func failedPage(to string) g.Node {
	return document("Sign-in failed - Assay", nil,
		h.H1(g.Text("The sign-in has failed")),
		h.P(g.Text("The sign-in was not started in this browser, took longer than 10 minutes, or was rejected by the identity provider.")),
		h.P(h.A(h.Href("/v1/session/start?to="+url.QueryEscape(to)), g.Text("Try again")), g.Text(" or "), h.A(h.Href("/"), g.Text("go to the start page")), g.Text(".")))
}

func document(title string, refresh g.Node, content ...g.Node) g.Node {
	return h.Doctype(h.HTML(h.Lang("en"), h.Head(
		h.Meta(h.Charset("utf-8")), h.Meta(h.Name("viewport"), h.Content("width=device-width, initial-scale=1")), h.Meta(h.Name("color-scheme"), h.Content("light dark")),
		h.StyleEl(g.Raw(pageStyle)), refresh, h.TitleEl(g.Text(title)),
	), h.Body(h.Main(content...))))
}

// escaped returns a path of this server without characters that a URL must not contain, such as spaces and quotation marks.
func escaped(to string) string {
	at, err := url.Parse(to)
	if err != nil {
		return "/"
	}
	return at.String()
}

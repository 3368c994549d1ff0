// Command provider is an OpenID Connect provider for tests of docker-compose.yml with ASSAY_AUTH=token. It signs in
// anyone as one of three users, without a password: never expose it.
package main

import (
	"cmp"
	"errors"
	"fmt"
	"html/template"
	"net"
	"net/http"
	"net/url"
	"os"
	"sync"
	"time"

	"github.com/assay-project/assay/pkg/identity/oidctest"
	"github.com/assay-project/assay/pkg/web"
)

// users contains the users who can sign in, with their claims.
var users = map[string]map[string]any{
	"anna": {"sub": "anna", "name": "Anna Lee", "given_name": "Anna", "family_name": "Lee", "preferred_username": "anna", "email": "anna@example.com", "groups": []string{"chemists"}},
	"bob":  {"sub": "bob", "name": "Bob Ray", "given_name": "Bob", "family_name": "Ray", "preferred_username": "bob", "email": "bob@example.com", "groups": []string{"physicists"}},
	"olga": {"sub": "olga", "name": "Olga Orr", "given_name": "Olga", "family_name": "Orr", "preferred_username": "olga", "email": "olga@example.com", "roles": []string{"operator"}},
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "provider:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	addr := cmp.Or(os.Getenv("ASSAY_PROVIDER_ADDR"), "127.0.0.1:8088")
	if len(args) == 1 && args[0] == "health" {
		return health(addr)
	}
	if len(args) > 0 {
		return errors.New("usage: provider [health]")
	}
	p, err := oidctest.Open(cmp.Or(os.Getenv("ASSAY_OIDC_ISSUER"), "http://127.0.0.1:8088"))
	if err != nil {
		return err
	}
	p.ClientID, p.ClientSecret = cmp.Or(os.Getenv("ASSAY_OIDC_CLIENT_ID"), p.ClientID), cmp.Or(os.Getenv("ASSAY_OIDC_CLIENT_SECRET"), p.ClientSecret)
	server := &http.Server{Addr: addr, Handler: handler(p), ReadHeaderTimeout: 10 * time.Second}
	return server.ListenAndServe()
}

// health returns an error unless the running provider serves its configuration.
func health(addr string) error {
	_, port, err := net.SplitHostPort(addr)
	if err != nil {
		return err
	}
	client := http.Client{Timeout: 3 * time.Second}
	resp, err := client.Get("http://127.0.0.1:" + port + "/.well-known/openid-configuration")
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }() // the body is not read
	if resp.StatusCode != http.StatusOK {
		return errors.New("the provider returned " + resp.Status)
	}
	return nil
}

// handler serves the provider, a page to choose a user, and tokens for the command line.
func handler(p *oidctest.Provider) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/", p)
	var signing sync.Mutex // held from the selection of a user until the authorization code is issued
	mux.HandleFunc("GET /authorize", func(w http.ResponseWriter, r *http.Request) {
		query := r.URL.Query()
		back, err := url.Parse(query.Get("redirect_uri"))
		if err != nil || !web.Loopback(back.Hostname()) {
			http.Error(w, "redirect_uri must be on loopback", http.StatusBadRequest)
			return
		}
		if !query.Has("user") {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_ = page.Execute(w, choices(query)) // fails only if the client has disconnected
			return
		}
		claims, known := users[query.Get("user")]
		if !known {
			http.Error(w, "user does not exist", http.StatusBadRequest)
			return
		}
		signing.Lock()
		defer signing.Unlock()
		p.SetUser(claims)
		p.ServeHTTP(w, r)
	})
	mux.HandleFunc("GET /tokens/{user}", func(w http.ResponseWriter, r *http.Request) {
		claims, known := users[r.PathValue("user")]
		if !known {
			http.NotFound(w, r)
			return
		}
		token, err := p.Issue(r.PathValue("user"), claims)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		fmt.Fprintln(w, token)
	})
	return mux
}

// choices returns the URLs that sign in the users, by display name.
func choices(query url.Values) map[string]string {
	all := map[string]string{}
	for user, claims := range users {
		query.Set("user", user)
		all[fmt.Sprint(claims["name"])] = "/authorize?" + query.Encode()
	}
	return all
}

var page = template.Must(template.New("").Parse(`<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Test provider</title>
<main><h1>Test provider</h1><p>Sign in, without a password, as:</p>
<ul>{{range $name, $at := .}}<li><a href="{{$at}}">{{$name}}</a></li>{{end}}</ul></main></html>
`))

package identity

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// everyOperationChecksItsCaller calls every operation in the API documents of all addresses for anna's items: without
// credentials, with a read-only key of anna, and with the credentials of another owner and of an operator.
func everyOperationChecksItsCaller(t *testing.T, w *world) {
	found := w.documented(t, w.HTTP)
	for _, pattern := range slices.Sorted(maps.Keys(found)) {
		op, known := w.Operations[pattern]
		if !known {
			t.Errorf("%s is not in the list of operations: add it with its kind", pattern)
			continue
		}
		t.Run(pattern, func(t *testing.T) { w.check(t, pattern, op) })
	}
	for pattern := range w.Operations {
		if found[pattern] == "" {
			t.Errorf("%s is listed but is not in the API document", pattern)
		}
	}
	w.checkOperators(t)
	w.checkNothingLost(t)
	w.checkLogs(t)
}

func (w *world) check(t *testing.T, pattern string, op Operation) {
	method, url, body := w.requested(pattern, op, w.items)
	status := func(token string) int {
		got, text := w.ask(t, token, method, url, body)
		if token != w.anna && token != w.read && op.Kind != Linked {
			w.leaksNothing(t, url+body, text)
		}
		return got
	}
	switch op.Kind {
	case Public:
		if got := status("assay_forged"); got == http.StatusForbidden || got == http.StatusUnauthorized && pattern != "POST /v1/session" {
			t.Errorf("with a forged credential: %d, want it ignored", got)
		}
		return
	case Linked:
		if got := status(""); got != http.StatusOK {
			t.Errorf("without a credential: %d, want 200", got)
		}
	default:
		if got := status(""); got != http.StatusUnauthorized {
			t.Errorf("without a credential: %d, want 401", got)
		}
	}
	if got := status("assay_forged"); got != http.StatusUnauthorized {
		t.Errorf("with a forged key: %d, want 401", got)
	}
	if op.Kind != Linked {
		w.checkRejectedFirst(t, pattern, op)
	}
	w.checkOrigins(t, method, url, body)
	if method != http.MethodGet {
		if got := status(w.read); got != http.StatusForbidden {
			t.Errorf("with the scope read: %d, want 403", got)
		}
	} else if got := status(w.read); got == http.StatusUnauthorized || got == http.StatusForbidden || got == http.StatusNotFound && !op.Absent {
		t.Errorf("with the scope read: %d, want access", got)
	}
	for name, stranger := range map[string]string{"another owner": w.bob, "an operator": w.operator} {
		if op.Kind == Own {
			w.checkHidden(t, pattern, op, name, stranger)
		} else if got := status(stranger); got == http.StatusUnauthorized || got == http.StatusForbidden || got == http.StatusNotFound && !op.Absent {
			t.Errorf("with the credential of %s: %d, want access", name, got)
		}
	}
}

// checkHidden checks that a stranger gets the same response for an item of anna as for one that does not exist.
func (w *world) checkHidden(t *testing.T, pattern string, op Operation, name, stranger string) {
	t.Helper()
	var shown [2]string
	for i, ids := range []map[string]string{w.items, w.unknown} {
		method, url, body := w.requested(pattern, op, ids)
		resp, text := w.exchange(t, stranger, method, url, body)
		var p system.Problem
		if text != "" {
			system.Decode(t, text, &p)
		}
		shown[i] = fmt.Sprint(resp.StatusCode, p.Type, p.Title, p.Detail, p.Errors)
		if resp.StatusCode != http.StatusNotFound && !(op.Silent && resp.StatusCode == http.StatusNoContent) {
			t.Errorf("with the credential of %s: %d, want 404, or 204 if the operation is silent: %s", name, resp.StatusCode, text)
		}
		w.leaksNothing(t, url+body, text)
	}
	if shown[0] != shown[1] {
		t.Errorf("%s can distinguish anna's item from a missing one: %q and %q", name, shown[0], shown[1])
	}
}

// leaksNothing checks that a text for a stranger contains nothing about anna except the ids that the stranger sent.
func (w *world) leaksNothing(t *testing.T, sent, text string) {
	t.Helper()
	for _, secret := range append(slices.Collect(maps.Values(w.items)), marker, w.annasOwner) {
		if strings.Contains(text, secret) && !strings.Contains(sent, secret) {
			t.Errorf("a response to a stranger contains %q: %s", secret, text)
		}
	}
}

func (w *world) checkOperators(t *testing.T) {
	t.Helper()
	listed := w.operatorOperations()
	var found []string
	for _, address := range []string{w.Operator, w.analyzer.Operator} { // through the gateway and directly
		for pattern := range w.documented(t, address) {
			found = append(found, pattern)
			if _, known := listed[pattern]; !known {
				t.Errorf("%s is not in the list of operator operations: add it", pattern)
			}
			method, path, _ := strings.Cut(pattern, " ")
			url := address + parameter.ReplaceAllString(path, "1")
			for name, caller := range map[string]struct {
				token string
				want  int
			}{
				"no credential": {"", http.StatusUnauthorized}, "a forged key": {"assay_forged", http.StatusUnauthorized},
				"a user's key": {w.anna, http.StatusForbidden}, "a read-only key": {w.read, http.StatusForbidden},
			} {
				status, text := w.ask(t, caller.token, method, url, "")
				if w.leaksNothing(t, url, text); status != caller.want {
					t.Errorf("operator call %s with %s: got %d, want %d", pattern, name, status, caller.want)
				}
			}
			if status, text := w.ask(t, "", method, url+"?wrong=1", "{"); status != http.StatusUnauthorized {
				t.Errorf("operator call %s without a credential and with wrong parameters: %d %s, want 401", pattern, status, text)
			}
			w.checkOrigins(t, method, url, "")
			if method != http.MethodGet {
				continue // checkAudit covers writes
			}
			if status, text := w.ask(t, w.operator, method, url, ""); status == http.StatusUnauthorized || status == http.StatusForbidden {
				t.Errorf("%s with the credential of an operator: %d %s, want access", pattern, status, text)
			}
		}
	}
	for pattern := range listed {
		if !slices.Contains(found, pattern) {
			t.Errorf("%s is listed but is in no API document", pattern)
		}
	}
}

// checkNothingLost checks that no item of anna has been deleted, trashed or canceled.
func (w *world) checkNothingLost(t *testing.T) {
	t.Helper()
	for _, item := range w.Items {
		if item.Shown == "" {
			continue
		}
		path := insert(item.Shown, w.items)
		status, text := w.ask(t, w.anna, http.MethodGet, w.HTTP+path, "")
		if status != http.StatusOK || strings.Contains(text, `"trashed":true`) || strings.Contains(text, "CANCELLED") {
			t.Errorf("%s after all calls: %d %s, want 200 and an item that is neither trashed nor canceled", path, status, text)
		}
	}
}

// checkLogs checks that no log contains a name, an owner, a credential or a link. Logs identify items by their ids.
func (w *world) checkLogs(t *testing.T) {
	t.Helper()
	for name, p := range map[string]*system.Service{"ingest": w.ingest, "query": w.query, "analyzer": w.analyzer} {
		written := p.Written()
		if !strings.Contains(written, `"level":"info"`) {
			t.Errorf("the log of %s has no line of level info", name)
		}
		for _, secret := range []string{marker, w.annasOwner, w.items["link"], w.anna, w.bob, w.operator} {
			if strings.Contains(written, secret) {
				t.Errorf("the log of %s contains %q", name, secret)
			}
		}
	}
}

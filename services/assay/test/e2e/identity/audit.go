package identity

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// entry is an entry of the audit log.
type entry struct {
	Who, Credential, KeyID, Operation, Method, Outcome, RequestID string
	Status                                                        int
}

// checkAudit calls every write operation in the API document of the operator address: as an operator with a key, with a
// session of that key, and as a user without the role. The audit log must contain one entry for each call.
func (w *world) checkAudit(t *testing.T) {
	t.Helper()
	resp, _ := w.exchange(t, "", http.MethodPost, w.HTTP+"/v1/session", `{"key":"`+w.operator+`"}`)
	cookie, _, _ := strings.Cut(resp.Header.Get("Set-Cookie"), ";")
	id := func(token string) string { return strings.Split(token, "_")[1] }
	callers := []struct {
		header, value, who, credential, key string
		operator                            bool
	}{
		{"Authorization", "Bearer " + w.operator, "operator", "key", id(w.operator), true},
		{"Cookie", cookie, "operator", "session", id(w.operator), true},
		{"Authorization", "Bearer " + w.anna, w.annasOwner, "key", id(w.anna), false},
	}
	wanted := map[string]entry{} // by request id
	for pattern, operationID := range w.documented(t, w.Operator) {
		method, path, _ := strings.Cut(pattern, " ")
		if method == http.MethodGet {
			continue
		}
		write, listed := w.Writes[pattern]
		if !listed {
			t.Errorf("%s is not in the list of write operations: add it", pattern)
			continue
		}
		if write.Path != "" {
			path = write.Path
		}
		for i, c := range callers {
			spare := strings.Split(w.key(t, `{"owner":"spare"}`), "_")[1]
			req, err := http.NewRequestWithContext(system.Within(t), method, w.Operator+strings.ReplaceAll(path, "{key}", spare), strings.NewReader(write.Body))
			if err != nil {
				t.Fatal(err)
			}
			if req.Header.Set(c.header, c.value); write.Body != "" {
				req.Header.Set("Content-Type", "application/json")
			}
			resp, text := w.send(t, req)
			e := entry{c.who, c.credential, c.key, operationID, method, "done", resp.Header.Get("X-Request-Id"), write.Status}
			switch {
			case !c.operator:
				e.Status = http.StatusForbidden
			case i > 0 && write.Repeated != 0:
				e.Status = write.Repeated
			}
			if e.Status >= http.StatusBadRequest {
				e.Outcome = "refused"
			}
			if resp.StatusCode != e.Status {
				t.Errorf("%s by %s %s: %d, want %d: %s", pattern, c.credential, c.who, resp.StatusCode, e.Status, text)
			}
			wanted[e.RequestID] = e
		}
	}
	entries := map[string]int{} // by request id
	for at := w.Operator + "/v1/audit?limit=200"; at != ""; {
		_, text := w.ask(t, w.operator, http.MethodGet, at, "")
		var page struct {
			Entries    []entry
			NextCursor string
		}
		if err := json.Unmarshal([]byte(text), &page); err != nil {
			t.Fatal(err)
		}
		for _, e := range page.Entries {
			want, made := wanted[e.RequestID]
			if !made {
				continue // the creation of a key above
			}
			if entries[e.RequestID]++; e != want || entries[e.RequestID] > 1 {
				t.Errorf("the audit log contains %+v as entry %d of the request, want %+v, once", e, entries[e.RequestID], want)
			}
		}
		if at = ""; page.NextCursor != "" {
			at = w.Operator + "/v1/audit?limit=200&cursor=" + page.NextCursor
		}
	}
	for id, e := range wanted {
		if entries[id] == 0 {
			t.Errorf("the audit log contains no entry for %+v, want one", e)
		}
	}
	for pattern := range w.Writes {
		if w.documented(t, w.Operator)[pattern] == "" {
			t.Errorf("%s is listed but is not in the API document", pattern)
		}
	}
}

package system

import (
	"crypto/sha256"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
)

// contracts contains the contracts of the running servers by host, and all contracts read so far, because most servers
// have the same document.
var contracts struct {
	sync.Mutex
	byHost map[string]served
	known  map[[sha256.Size]byte]*Contract // by the checksum of the document
	byKey  map[string]*Contract            // see ServesAs
}

type served struct {
	*Contract
	t *testing.T // the test that started the server
}

// Serves makes the clients of this package compare the responses of a server with its document until the test ends. A
// difference fails the test. An empty address is ignored.
func Serves(t *testing.T, address string) {
	t.Helper()
	if address != "" {
		readContract(t, address).covers(t, address)
	}
}

// ServesAs is like Serves for a program of this build, whose document depends only on its role, the port, and the
// authentication settings in env. It reads each document once, because a program needs half a second of CPU time to
// compose it with the race detector.
func ServesAs(t *testing.T, role, port, address string, env []string) {
	t.Helper()
	if address == "" {
		return
	}
	key := role + " " + port
	for _, setting := range slices.Sorted(slices.Values(env)) {
		if strings.HasPrefix(setting, "ASSAY_AUTH") || strings.HasPrefix(setting, "ASSAY_OIDC") {
			name, _, _ := strings.Cut(setting, "=")
			key += " " + name
		}
	}
	contracts.Lock()
	contract := contracts.byKey[key]
	contracts.Unlock()
	if contract == nil {
		contract = readContract(t, address)
		contracts.Lock()
		if contracts.byKey == nil {
			contracts.byKey = map[string]*Contract{}
		}
		contracts.byKey[key] = contract
		contracts.Unlock()
	}
	contract.covers(t, address)
}

// readContract reads the document of a server and returns its contract.
func readContract(t *testing.T, address string) *Contract {
	t.Helper()
	req, err := http.NewRequestWithContext(Within(t), http.MethodGet, address+"/openapi.json", nil)
	if err != nil {
		t.Fatal(err)
	}
	_, text := Exchange(t, req)
	contracts.Lock()
	defer contracts.Unlock()
	if contracts.known == nil {
		contracts.known = map[[sha256.Size]byte]*Contract{}
	}
	sum := sha256.Sum256([]byte(text))
	if contracts.known[sum] == nil {
		if contracts.known[sum], err = newContract([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	return contracts.known[sum]
}

// covers makes the clients of this package compare the responses of the server at an address with the document until the
// test ends. A difference fails the test.
func (c *Contract) covers(t *testing.T, address string) {
	at, err := url.Parse(address)
	if err != nil {
		t.Error(err)
		return
	}
	contracts.Lock()
	defer contracts.Unlock()
	if contracts.byHost == nil {
		contracts.byHost = map[string]served{}
	}
	contracts.byHost[at.Host] = served{c, t}
	t.Cleanup(func() {
		contracts.Lock()
		defer contracts.Unlock()
		if contracts.byHost[at.Host].t == t {
			delete(contracts.byHost, at.Host)
		}
	})
}

// Checked returns a transport that compares the responses of servers with their documents. It reads the bodies of JSON
// responses only.
func Checked(transport http.RoundTripper) http.RoundTripper { return checked{transport} }

type checked struct{ http.RoundTripper }

func (c checked) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := c.RoundTripper.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	contracts.Lock()
	server := contracts.byHost[req.URL.Host]
	contracts.Unlock()
	if server.Contract == nil {
		return resp, nil
	}
	body, err := readJSON(resp)
	if err != nil {
		return resp, nil // the client sees the error when it reads the body
	}
	if err := server.check(resp, body); err != nil {
		server.t.Errorf("%s %s responded with %s, which differs from /openapi.json: %v", req.Method, req.URL, resp.Status, err)
	}
	return resp, nil
}

// CloseIdleConnections is called by http.Client.
func (c checked) CloseIdleConnections() {
	if transport, ok := c.RoundTripper.(interface{ CloseIdleConnections() }); ok {
		transport.CloseIdleConnections()
	}
}

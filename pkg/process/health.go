package process

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/assay-project/assay/pkg/web"
)

// readyWait limits the wait for the response to Ready. It exceeds the timeout of the checks (obs.Health).
const readyWait = 4 * time.Second

// Ready checks whether the running program at url is ready. If it is not, the error contains its
// response, which names the failed check.
func Ready(ctx context.Context, url string) error {
	ctx, cancel := context.WithTimeout(ctx, readyWait)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimSuffix(url, "/")+"/readyz", nil)
	if err != nil {
		return err
	}
	// The environment's proxies must not be used for the program's own address.
	return readyBy(&http.Transport{DisableKeepAlives: true}, request)
}

// ownReady is like Ready, for a process's own listener, whose certificate does not name the loopback address.
func ownReady(ctx context.Context, url string) error {
	ctx, cancel := context.WithTimeout(ctx, readyWait)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/readyz", nil)
	if err != nil {
		return err
	}
	return readyBy(&http.Transport{DisableKeepAlives: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}, request) //nolint:gosec // only the readiness of this machine's own process is read
}

func readyBy(transport *http.Transport, request *http.Request) error {
	client := &http.Client{Transport: transport}
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, 16<<10))
	if err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s responded with %d: %s", request.URL, response.StatusCode, strings.TrimSpace(string(body)))
	}
	return nil
}

// ownURL returns the URL at which a process reaches its own listener on addr.
func ownURL(addr string, secure TLS) (string, error) {
	if _, port, err := net.SplitHostPort(addr); err != nil || port == "0" {
		return "", fmt.Errorf("ASSAY_ADDR is %q: must be host:port with a fixed port", addr)
	}
	return secure.Scheme() + "://" + web.Reachable(addr), nil
}

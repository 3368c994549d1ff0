package process

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/assay-project/assay/pkg/web"
)

// readyWait bounds the response to Ready. It exceeds the timeout of the checks (obs.Health).
const readyWait = 4 * time.Second

// Ready checks whether the running program at url is ready. The error for one that is not contains
// its response, which names the failed check.
func Ready(ctx context.Context, url string) error {
	ctx, cancel := context.WithTimeout(ctx, readyWait)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimSuffix(url, "/")+"/readyz", nil)
	if err != nil {
		return err
	}
	// The environment's proxies must not be used for the program's own address.
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(response.Body, 16<<10))
	if err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s responded with %d: %s", request.URL, response.StatusCode, strings.TrimSpace(string(answer)))
	}
	return nil
}

// ownURL returns the URL at which a process reaches its own listener on addr.
func ownURL(addr string) (string, error) {
	if _, port, err := net.SplitHostPort(addr); err != nil || port == "0" {
		return "", fmt.Errorf("ASSAY_ADDR is %q: must be host:port with a fixed port", addr)
	}
	return "http://" + web.Reachable(addr), nil
}

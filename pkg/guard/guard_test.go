package guard

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"
)

// TestAddresses checks which addresses the dialer may connect to.
func TestAddresses(t *testing.T) {
	public, open := Policy{}, Policy{Networks: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("fd00::/8")}, Ports: []uint16{8080}}
	for _, c := range []struct {
		policy           Policy
		network, address string
		allowed          bool
	}{
		{public, "tcp4", "93.184.215.14:443", true},
		{public, "tcp4", "93.184.215.14:80", true},
		{public, "tcp6", "[2606:4700::6810:84e5]:443", true},
		{public, "tcp4", "93.184.215.14:8080", false},
		{public, "tcp4", "93.184.215.14:22", false},
		{public, "udp4", "93.184.215.14:443", false},
		{public, "tcp4", "127.0.0.1:80", false},
		{public, "tcp4", "127.8.9.10:80", false},
		{public, "tcp6", "[::1]:80", false},
		{public, "tcp4", "0.0.0.0:80", false},
		{public, "tcp4", "0.1.2.3:80", false},
		{public, "tcp6", "[::]:80", false},
		{public, "tcp4", "10.0.0.1:80", false},
		{public, "tcp4", "172.16.0.1:80", false},
		{public, "tcp4", "172.31.255.255:80", false},
		{public, "tcp4", "172.32.0.1:80", true},
		{public, "tcp4", "192.168.1.1:80", false},
		{public, "tcp4", "169.254.169.254:80", false}, // metadata of AWS, Azure and Google
		{public, "tcp6", "[fd00:ec2::254]:80", false}, // metadata of AWS over IPv6
		{public, "tcp4", "100.64.0.1:80", false},      // carrier-grade NAT, and Alibaba's metadata
		{public, "tcp4", "100.127.255.255:80", false},
		{public, "tcp4", "192.0.0.192:80", false}, // Oracle's metadata
		{public, "tcp4", "198.18.0.1:80", false},
		{public, "tcp4", "224.0.0.1:80", false},
		{public, "tcp4", "239.255.255.250:80", false},
		{public, "tcp4", "240.0.0.1:80", false},
		{public, "tcp4", "255.255.255.255:80", false},
		{public, "tcp6", "[fe80::1%eth0]:80", false},
		{public, "tcp6", "[fc00::1]:80", false},
		{public, "tcp6", "[ff02::1]:80", false},
		{public, "tcp6", "[::ffff:127.0.0.1]:80", false}, // IPv4-mapped
		{public, "tcp6", "[::ffff:93.184.215.14]:80", false},
		{public, "tcp6", "[::127.0.0.1]:80", false},      // IPv4-compatible
		{public, "tcp6", "[64:ff9b::7f00:1]:80", false},  // NAT64
		{public, "tcp6", "[64:ff9b:1::a00:1]:80", false}, // NAT64 with a network-specific prefix
		{public, "tcp6", "[2002:7f00:1::1]:80", false},   // 6to4
		{public, "tcp6", "[2001:0:7f00:1::1]:80", false}, // Teredo
		{public, "tcp4", "not an address", false},
		{open, "tcp4", "127.0.0.1:12345", true},
		{open, "tcp6", "[fd00::1]:12345", true},
		{open, "tcp6", "[::1]:80", false},
		{open, "tcp4", "10.0.0.1:80", false},
		{open, "tcp4", "10.0.0.1:8080", false},
		{open, "tcp4", "93.184.215.14:8080", true},
		{open, "tcp4", "93.184.215.14:443", true},
	} {
		err := c.policy.control()(t.Context(), c.network, c.address, nil)
		if (err == nil) != c.allowed || err != nil && !errors.Is(err, ErrBlocked) {
			t.Errorf("%s %s under %+v: got error %v, want allowed = %t", c.network, c.address, c.policy, err, c.allowed)
		}
	}
}

func TestURLs(t *testing.T) {
	for text, allowed := range map[string]bool{
		"https://example.com/feed": true, "http://example.com": true,
		"file:///etc/passwd": false, "gopher://example.com": false, "ftp://example.com": false,
		"https://": false, "https://user@example.com": false, "http://user:word@example.com": false, "/feed": false,
	} {
		u, err := url.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if err := CheckURL(u); (err == nil) != allowed || err != nil && !errors.Is(err, ErrBlocked) {
			t.Errorf("%s: got error %v, want allowed = %t", text, err, allowed)
		}
	}
}

// TestCheck checks URLs before their names are resolved.
func TestCheck(t *testing.T) {
	inside := Policy{Networks: []netip.Prefix{netip.MustParsePrefix("10.1.0.0/16")}}
	for _, c := range []struct {
		policy  Policy
		url     string
		allowed bool
	}{
		{Policy{}, "https://example.com/", true},
		{Policy{}, "http://intranet:8080/", true}, // its address is checked when it is dialed
		{Policy{}, "https://93.184.215.14/", true},
		{Policy{}, "http://93.184.215.14:8080/", false},
		{Policy{}, "http://127.0.0.1/", false},
		{Policy{}, "http://LOCALHOST./", false},
		{Policy{}, "http://a.localhost:443/", false},
		{Policy{}, "http://[::1]/", false},
		{Policy{}, "http://[::ffff:10.0.0.1]/", false},
		{Policy{}, "http://[fe80::1%25eth0]/", false},
		{Policy{}, "http://169.254.169.254/latest/meta-data/", false},
		{Policy{}, "http://10.1.2.3/", false},
		{inside, "http://10.1.2.3:8080/", true},
		{inside, "http://10.2.0.1/", false},
		{inside, "http://user@10.1.2.3/", false},
		{inside, "file:///etc/passwd", false},
	} {
		u, err := url.Parse(c.url)
		if err != nil {
			t.Fatal(err)
		}
		if err := c.policy.Check(u); (err == nil) != c.allowed || err != nil && !errors.Is(err, ErrBlocked) {
			t.Errorf("%s under %+v: got error %v, want allowed = %t", c.url, c.policy, err, c.allowed)
		}
	}
}

// TestClient sends requests to a real server, by address and by name, directly and through redirects.
func TestClient(t *testing.T) {
	var target string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/redirect" {
			http.Redirect(w, r, target, http.StatusFound)
		}
	}))
	t.Cleanup(server.Close)
	at, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	loopback := Policy{Networks: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}}
	for _, c := range []struct {
		policy      Policy
		url, target string
		allowed     bool
	}{
		{loopback, server.URL, "", true},
		{loopback, server.URL + "/redirect", server.URL, true},
		{Policy{}, server.URL, "", false},
		{Policy{Ports: []uint16{80}}, "http://localhost:" + at.Port(), "", false},
		{loopback, server.URL + "/redirect", "http://169.254.169.254/latest/meta-data/", false},
		{loopback, server.URL + "/redirect", "http://[::1]:" + at.Port() + "/", false},
		{loopback, server.URL + "/redirect", "http://user@" + at.Host + "/", false},
		{loopback, server.URL + "/redirect", "file:///etc/passwd", false},
		{loopback, server.URL + "/redirect", "/redirect", false}, // redirects endlessly
	} {
		target = c.target
		client := Client(c.policy, time.Minute)
		resp, err := client.Get(c.url)
		if err == nil {
			resp.Body.Close()
		}
		client.CloseIdleConnections()
		if (err == nil) != c.allowed || err != nil && !errors.Is(err, ErrBlocked) {
			t.Errorf("%s to %s: got error %v, want allowed = %t", c.url, c.target, err, c.allowed)
		}
	}
}

// TestBlockedNamesTheSetting checks that an error names the setting that allows the address, as
// named by the program that uses the guard.
func TestBlockedNamesTheSetting(t *testing.T) {
	named := Policy{NetworksSetting: "MY_NETWORKS", PortsSetting: "MY_PORTS"}
	for _, c := range []struct {
		policy  Policy
		address string
		want    []string
		without string
	}{
		{named, "10.1.2.3:80", []string{"10.1.2.3:80", "MY_NETWORKS"}, "MY_PORTS"},
		{named, "10.1.2.3:8080", []string{"10.1.2.3:8080", "MY_NETWORKS"}, ""},
		{named, "[::1]:443", []string{"[::1]:443", "MY_NETWORKS"}, "MY_PORTS"},
		{named, "93.184.215.14:8080", []string{"93.184.215.14:8080", "MY_PORTS"}, ""},
		{Policy{}, "10.1.2.3:80", []string{"10.1.2.3"}, "with"},
		{Policy{}, "93.184.215.14:8080", []string{"8080"}, "with"},
	} {
		network := "tcp4"
		if strings.HasPrefix(c.address, "[") {
			network = "tcp6"
		}
		err := c.policy.control()(t.Context(), network, c.address, nil)
		if err == nil {
			t.Errorf("%s: got no error, want ErrBlocked", c.address)
			continue
		}
		for _, want := range c.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: got error %q, want one that contains %s", c.address, err, want)
			}
		}
		if c.without != "" && strings.Contains(err.Error(), c.without) {
			t.Errorf("%s: got error %q, want one without %s", c.address, err, c.without)
		}
	}
}

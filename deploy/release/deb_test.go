package release_test

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// testDebian checks the fields and the files of the Debian packages.
func testDebian(t *testing.T, m made) {
	if _, err := exec.LookPath("dpkg-deb"); err != nil {
		t.Skip("dpkg-deb is not installed")
	}
	for _, arch := range []string{"amd64", "arm64"} {
		path := filepath.Join(m.dir, "assay_0.1.0-rc.1_"+arch+".deb")
		fields := command(t, "dpkg-deb", "--field", path)
		for _, want := range []string{"Package: assay\n", "Version: 0.1.0~rc.1\n", "Architecture: " + arch + "\n"} {
			if !strings.Contains(fields, want) {
				t.Errorf("%s: got the fields %q, want %q", arch, fields, want)
			}
		}
		var got []string
		for line := range strings.Lines(command(t, "dpkg-deb", "--contents", path)) {
			fields := strings.Fields(line) // mode, owner, size, date, time, name
			if !strings.HasSuffix(fields[5], "/") || strings.HasPrefix(fields[5], "./etc/") {
				got = append(got, fields[0]+" "+fields[1]+" "+fields[5])
			}
		}
		want := []string{
			"-rw-r--r-- root/root ./usr/lib/systemd/system/assay.service", "-rw-r--r-- root/root ./usr/share/doc/assay/CHANGELOG.md",
			"-rw-r--r-- root/root ./usr/share/doc/assay/LICENSES", "-rw-r--r-- root/root ./usr/share/doc/assay/README.md",
			"-rw-r--r-- root/root ./usr/share/doc/assay/copyright", "-rw------- root/root ./etc/assay/assay.env",
			"-rwxr-xr-x root/root ./usr/bin/assay", "drwx------ root/root ./etc/assay/credentials/", "drwxr-xr-x root/root ./etc/", "drwxr-xr-x root/root ./etc/assay/",
		}
		slices.Sort(got)
		if slices.Sort(want); !slices.Equal(got, want) {
			t.Errorf("%s: got the files %q, want %q", arch, got, want)
		}
		if control := command(t, "dpkg-deb", "--info", path, "conffiles"); control != "/etc/assay/assay.env\n" {
			t.Errorf("%s: got the configuration files %q, want /etc/assay/assay.env", arch, control)
		}
	}
}

// TestUnit checks the systemd unit of the package with systemd: no unknown directive, and an exposure of at most 2.0 on its
// scale from 0 to 10.
func TestUnit(t *testing.T) {
	if _, err := exec.LookPath("systemd-analyze"); err != nil {
		t.Skip("systemd-analyze is not installed")
	}
	said := command(t, "systemd-analyze", "security", "--offline=true", "--threshold=20", "debian/assay.service")
	if strings.Contains(said, "Unknown") {
		t.Errorf("got %s, want no unknown directive", said)
	}
	lines := strings.Split(strings.TrimSpace(said), "\n")
	t.Log(lines[len(lines)-1])
}

// command runs a program, which must succeed, and returns its output.
func command(t *testing.T, name string, args ...string) string {
	t.Helper()
	output, err := exec.CommandContext(t.Context(), name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %v: %v: %s", name, args, err, output)
	}
	return string(output)
}

package convert

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// program is the name of the LibreOffice executable.
const program = "soffice"

// killWait is how long to wait for the output pipes to close after the process is killed.
const killWait = 5 * time.Second

// soffice runs the LibreOffice executable.
type soffice struct{ path string }

// profile is a LibreOffice user profile that disables macros and blocks external links. All other requests go to a
// proxy that does not exist.
const profile = `<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry" xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
<item oor:path="/org.openoffice.Office.Common/Security/Scripting"><prop oor:name="MacroSecurityLevel" oor:op="fuse"><value>3</value></prop></item>
<item oor:path="/org.openoffice.Office.Common/Security/Scripting"><prop oor:name="DisableMacrosExecution" oor:op="fuse"><value>true</value></prop></item>
<item oor:path="/org.openoffice.Office.Common/Security/Scripting"><prop oor:name="BlockUntrustedRefererLinks" oor:op="fuse"><value>true</value></prop></item>
<item oor:path="/org.openoffice.Office.Writer/Content/Update"><prop oor:name="Link" oor:op="fuse"><value>0</value></prop></item>
<item oor:path="/org.openoffice.Office.Calc/Content/Update"><prop oor:name="Link" oor:op="fuse"><value>1</value></prop></item>
<item oor:path="/org.openoffice.Inet/Settings"><prop oor:name="ooInetProxyType" oor:op="fuse"><value>2</value></prop></item>
<item oor:path="/org.openoffice.Inet/Settings"><prop oor:name="ooInetHTTPProxyName" oor:op="fuse"><value>127.0.0.1</value></prop></item>
<item oor:path="/org.openoffice.Inet/Settings"><prop oor:name="ooInetHTTPProxyPort" oor:op="fuse"><value>9</value></prop></item>
<item oor:path="/org.openoffice.Inet/Settings"><prop oor:name="ooInetHTTPSProxyName" oor:op="fuse"><value>127.0.0.1</value></prop></item>
<item oor:path="/org.openoffice.Inet/Settings"><prop oor:name="ooInetHTTPSProxyPort" oor:op="fuse"><value>9</value></prop></item>
</oor:items>
`

// convert runs one process in a new directory. The process inherits only PATH from the environment. The
// process and its children are killed when ctx is done.
func (s soffice) convert(ctx context.Context, name string, data []byte) (pdf []byte, err error) {
	dir, err := os.MkdirTemp("", "assay-convert-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	user, in, out := filepath.Join(dir, "profile", "user"), filepath.Join(dir, "in"), filepath.Join(dir, "out")
	for _, folder := range []string{user, in, out} {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			return nil, err
		}
	}
	document := filepath.Join(in, name)
	if err := errors.Join(os.WriteFile(document, data, 0o600), os.WriteFile(filepath.Join(user, "registrymodifications.xcu"), []byte(profile), 0o600)); err != nil {
		return nil, err
	}
	command := exec.CommandContext(ctx, s.path, "-env:UserInstallation=file://"+filepath.Dir(user), "--headless", "--norestore", "--nologo", "--nolockcheck",
		"--convert-to", "pdf", "--outdir", out, document)
	command.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "TMPDIR=" + dir, "LANG=C.UTF-8"}
	command.Dir = dir
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	command.Cancel = func() error { return syscall.Kill(-command.Process.Pid, syscall.SIGKILL) }
	command.WaitDelay = killWait
	if err := command.Run(); err != nil {
		if _, exited := errors.AsType[*exec.ExitError](err); exited {
			return nil, fmt.Errorf("%w: LibreOffice failed: %w", ErrRefused, err)
		}
		return nil, fmt.Errorf("%w: %w", ErrTemporary, err)
	}
	file, err := os.Open(filepath.Join(out, "document.pdf"))
	if errors.Is(err, os.ErrNotExist) { // LibreOffice exits with status 0 even if it fails
		return nil, fmt.Errorf("%w: LibreOffice cannot read the document", ErrRefused)
	}
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	return io.ReadAll(io.LimitReader(file, maxPDF+1))
}

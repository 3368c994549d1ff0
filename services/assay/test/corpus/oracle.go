package corpus

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// referenceTime is the timeout for reading one document with another program.
const referenceTime = 2 * time.Minute

// Reference returns the text of a document as read by pdftotext for PDF and by LibreOffice for other formats.
// LibreOffice exports Word and OpenDocument texts as text, all sheets of a spreadsheet as CSV, and presentations
// as PDF, which pdftotext then reads. dir must be an empty folder for temporary files.
func Reference(ctx context.Context, path, ending, dir string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, referenceTime)
	defer cancel()
	switch ending {
	case "pdf":
		return pdfText(ctx, path)
	case "pptx", "odp":
		if _, err := Export(ctx, path, "pdf", dir); err != nil {
			return "", err
		}
		made, err := filepath.Glob(filepath.Join(dir, "*.pdf"))
		if err != nil || len(made) != 1 {
			return "", fmt.Errorf("LibreOffice wrote %q for %s, want one PDF", made, path)
		}
		return pdfText(ctx, made[0])
	}
	return Export(ctx, path, ExportFilter(ending), dir)
}

// ExportFilter returns the LibreOffice filter that exports the text of documents with the given extension.
func ExportFilter(ending string) string {
	const utf8 = "76"
	switch ending {
	case "xlsx", "ods", "xlsm":
		return "csv:Text - txt - csv (StarCalc):9,34," + utf8 + ",1,,0,false,true,false,false,false,-1" // every sheet, cells as displayed
	case "pptx", "odp", "pptm":
		return "pdf"
	}
	return "txt:Text (encoded):UTF8"
}

func pdfText(ctx context.Context, path string) (string, error) {
	out, err := exec.CommandContext(ctx, "pdftotext", "-enc", "UTF-8", path, "-").Output()
	return string(out), err
}

// Export converts a document with LibreOffice into a folder, and returns the contents of all files in the folder.
func Export(ctx context.Context, path, filter, dir string) (string, error) {
	profile, err := os.MkdirTemp("", "assay-profile-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(profile) //nolint:errcheck // a temporary folder
	command := exec.CommandContext(ctx, "soffice", "-env:UserInstallation=file://"+profile, "--headless", "--norestore", "--convert-to", filter, "--outdir", dir, path)
	if out, err := command.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%s: %w: %s", path, err, out)
	}
	made, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		return "", err
	}
	if len(made) == 0 {
		return "", fmt.Errorf("LibreOffice cannot read %s", path)
	}
	var all strings.Builder
	for _, name := range made {
		text, err := os.ReadFile(name)
		if err != nil {
			return "", err
		}
		all.Write(text)
		all.WriteByte('\n')
	}
	return all.String(), nil
}

package identity

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/assay-project/assay/pkg/extract/wasm/wasmtest"
	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// bearer sends requests with a token.
type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

// models connects to the server by the Model Context Protocol.
func (s secured) models(ctx context.Context, token string) (*mcp.ClientSession, error) {
	c := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	return c.Connect(ctx, &mcp.StreamableClientTransport{
		Endpoint: s.http + "/mcp", HTTPClient: &http.Client{Transport: bearer(token)}, MaxRetries: -1, DisableStandaloneSSE: true,
	}, nil)
}

// call calls a tool and decodes its result. It returns the error that the model sees.
func call(ctx context.Context, t *testing.T, session *mcp.ClientSession, tool string, arguments map[string]any, into any) string {
	t.Helper()
	result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		t.Fatal(err)
	}
	if result.IsError {
		return result.Content[0].(*mcp.TextContent).Text
	}
	content, err := json.Marshal(result.StructuredContent)
	if err == nil {
		err = json.Unmarshal(content, into)
	}
	if err != nil {
		t.Fatal(err)
	}
	return ""
}

// message sends a message to the feed.
func (s secured) message(ctx context.Context, token string) {
	s.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.http+"/v1/feed/items",
		strings.NewReader(`{"sourceId":"reddit#1","sourceType":"reddit","text":"What a lovely day!","matchedTags":["weather"]}`))
	if err != nil {
		s.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := (&http.Client{Transport: bearer(token)}).Do(req)
	if err != nil {
		s.Fatal(err)
	}
	if err := resp.Body.Close(); err != nil || resp.StatusCode >= http.StatusBadRequest {
		s.Fatalf("the message got status %d, %v", resp.StatusCode, err)
	}
}

// TestModels: a language model reads what the owner of its key may read, and nothing else; every tool says that it only reads.
func TestModels(t *testing.T) {
	s := startSecured(t, "ASSAY_MCP=true")
	writer, _ := s.created(s.run(s.operator, "keys", "create", "--owner", "ann"))
	reader, _ := s.created(s.run(s.operator, "keys", "create", "--owner", "ann", "--scope", "read"))
	other, _ := s.created(s.run(s.operator, "keys", "create", "--owner", "bob"))
	api, err := client.New(client.Config{Server: s.http, Token: writer})
	if err != nil {
		t.Fatal(err)
	}
	upload := func(name, contentType, content string) client.Node {
		t.Helper()
		n, err := api.UploadLibraryFile(system.Within(t), client.NewLibraryFile{Name: name, Size: int64(len(content)), ContentType: contentType},
			client.Source{Content: strings.NewReader(content)})
		if err == nil {
			n, err = api.WaitNode(system.Within(t), n.ID)
		}
		if err != nil || n.Status != client.LibraryProcessed {
			t.Fatalf("%s is %+v, %v, want it Processed", name, n, err)
		}
		return n
	}
	pdf := upload("foxes.pdf", "application/pdf", string(wasmtest.PDF{Title: "On Foxes", Pages: []string{"The quick fox", "jumps over dogs"}}.Bytes()))
	table := upload("rows.csv", "text/csv", "name,mass\nwater,18\nethanol,46\n")
	if _, err := api.SearchLibrary(system.Within(t), client.Search{Query: "rows", After: client.NodeVersion(table)}); err != nil {
		t.Fatal(err)
	}

	ctx := system.Within(t)
	if _, err := s.models(ctx, "nonsense"); err == nil || !strings.Contains(err.Error(), "Unauthorized") {
		t.Errorf("connecting with an unknown token returned %v, want 401 Unauthorized", err)
	}
	session, err := s.models(ctx, reader)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := session.Close(); err != nil {
			t.Error(err)
		}
	})
	tools, err := session.ListTools(ctx, nil)
	if err != nil || len(tools.Tools) != 4 {
		t.Fatalf("got the tools %+v, %v, want 4", tools, err)
	}
	for _, tool := range tools.Tools {
		if tool.Annotations == nil || !tool.Annotations.ReadOnlyHint || tool.Description == "" {
			t.Errorf("%s does not say that it only reads, or what it is for", tool.Name)
		}
	}

	var found struct {
		Hits []struct {
			ID, Name string
			Version  int64
			Snippets []struct {
				Text  string
				Page  int
				Boxes []client.Box
			}
		}
		Total int
	}
	if said := call(ctx, t, session, "search_library", map[string]any{"query": "jumping type:pdf", "boxes": true}, &found); said != "" || found.Total != 1 ||
		found.Hits[0].ID != pdf.ID || found.Hits[0].Version != pdf.Version ||
		!strings.Contains(found.Hits[0].Snippets[0].Text, "jumps over dogs") || found.Hits[0].Snippets[0].Page != 2 || len(found.Hits[0].Snippets[0].Boxes) != 1 {
		t.Errorf("got %+v, %q, want foxes.pdf with the words found on page 2", found, said)
	}
	var page struct {
		Name, Text  string
		Page, Pages int
		Version     int64
	}
	if said := call(ctx, t, session, "read_text", map[string]any{"id": pdf.ID, "page": 2}, &page); said != "" || page.Page != 2 || page.Pages != 2 ||
		page.Name != "foxes.pdf" || page.Version != pdf.Version || strings.TrimSpace(page.Text) != "jumps over dogs" {
		t.Errorf("got %+v, %q, want page 2 of 2", page, said)
	}
	var rows struct {
		Matched int
		Records []struct{ Name string }
	}
	if said := call(ctx, t, session, "list_records", map[string]any{"id": table.ID, "filter": "mass>20"}, &rows); said != "" || rows.Matched != 1 {
		t.Errorf("got %+v, %q, want 1 record", rows, said)
	}
	s.message(ctx, writer)
	for { // the counters follow the messages
		var series struct{ Buckets []any }
		said := call(ctx, t, session, "feed_series", map[string]any{"hours": 2, "bucket": "1h"}, &series)
		if said != "" {
			t.Fatalf("feed_series: got %q, want the messages of 2 hours", said)
		}
		if len(series.Buckets) > 0 {
			break
		}
	}
	if said := call(ctx, t, session, "feed_series", map[string]any{"bucket": "2h"}, nil); !strings.Contains(said, "bucket") {
		t.Errorf("got %q, want the name of the invalid argument", said)
	}
	for want, wrong := range map[string]map[string]any{
		"the text has 2 pages": {"id": pdf.ID, "page": 3}, "is not an id": {"id": "../files"}, "is not an offset": {"id": pdf.ID, "offset": 1000},
	} {
		if said := call(ctx, t, session, "read_text", wrong, nil); !strings.Contains(said, want) {
			t.Errorf("read_text %v: got %q, want %q", wrong, said, want)
		}
	}
	if said := call(ctx, t, session, "search_library", map[string]any{"query": "a size:big"}, nil); !strings.Contains(said, "at character 3") {
		t.Errorf("got %q, want the position of the error", said)
	}

	stranger, err := s.models(ctx, other)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := stranger.Close(); err != nil {
			t.Error(err)
		}
	})
	if said := call(ctx, t, stranger, "search_library", map[string]any{"query": "foxes"}, &found); said != "" || found.Total != 0 {
		t.Errorf("another owner: got %+v, %q, want no hits", found, said)
	}
	if said := call(ctx, t, stranger, "read_text", map[string]any{"id": pdf.ID}, nil); !strings.Contains(said, "has no node with this id") {
		t.Errorf("another owner: got %q, want no node", said)
	}
}

package feed

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/assay-project/assay/pkg/platform"
	"github.com/assay-project/assay/pkg/web"
	"github.com/assay-project/assay/services/ingest/feed/source"
	"github.com/assay-project/assay/services/ingest/feed/source/opml"
)

// opmlType is the media type of OPML.
const opmlType = "text/x-opml"

// opmlRoutes registers the calls that import and export sources as OPML.
func (a *Area) opmlRoutes(r *web.Router) {
	web.Register(r, huma.Operation{
		OperationID: "export-feed-sources", Method: http.MethodGet, Path: "/v1/feed/opml", Tags: []string{"feed sources"},
		Summary:     "Export the sources of kind rss as OPML 2.0",
		Description: "The tags of a source are its categories. Attributes in a namespace of Assay contain match, interval and enabled, so that an import restores them.",
		Responses: map[string]*huma.Response{"200": {Description: "OK", Content: map[string]*huma.MediaType{
			opmlType: {Schema: &huma.Schema{Type: huma.TypeString}},
		}}},
	}, a.exportSources)
	web.Register(r, huma.Operation{
		OperationID: "import-feed-sources", Method: http.MethodPost, Path: "/v1/feed/opml", Tags: []string{"feed sources"},
		Summary: "Add a source for each feed of an OPML file",
		Description: "A feed is an outline with an xmlUrl. Its categories and the titles of the outlines around it become the tags of the source; " +
			"without any, its title does. The name of the source is derived from the title. A source with the same URL remains as it is, so repeating an import is safe. " +
			"A file has at most " + strconv.Itoa(opml.MaxBytes>>20) + " MiB and " + strconv.Itoa(opml.MaxOutlines) + " outlines.",
		MaxBodyBytes: opml.MaxBytes,
	}, a.importSources)
}

type opmlOutput struct {
	ContentType        string `header:"Content-Type"`
	ContentDisposition string `header:"Content-Disposition"`
	Body               []byte
}

func (a *Area) exportSources(ctx context.Context, _ *struct{}) (*opmlOutput, error) {
	all, err := a.sources.All(ctx)
	if err != nil {
		return nil, err
	}
	var feeds []opml.Feed
	for _, one := range all {
		if one.Settings.Kind == source.KindRSS {
			feeds = append(feeds, one.Outline())
		}
	}
	document, err := opml.Write("Feed sources of Assay", time.Now(), feeds)
	return &opmlOutput{opmlType + "; charset=utf-8", `attachment; filename="feed-sources.opml"`, document}, err
}

type opmlInput struct {
	Tags        []string `query:"tags,explode" maxItems:"20" doc:"tags that every source gets"`
	Match       string   `query:"match" enum:"text,all" default:"all" doc:"how tags are assigned to the entries of sources whose outline does not say: all, or those that occur in the text"`
	Interval    string   `query:"interval" doc:"time between polls of sources whose outline does not say; default: 15m"`
	ContentType string   `header:"Content-Type" hidden:"true"`
	RawBody     []byte   `contentType:"text/x-opml"`
}

// outlineResult is the result for an outline.
type outlineResult struct {
	Name    string   `json:"name,omitempty" doc:"of the source"`
	Title   string   `json:"title,omitempty" doc:"of the outline"`
	URL     string   `json:"url"`
	Reasons []string `json:"reasons,omitempty" doc:"why the outline was refused"`
}

type importOutput struct {
	Body struct {
		Created  []outlineResult `json:"created"`
		Existing []outlineResult `json:"existing" doc:"outlines with the URL of a source that existed, or of an earlier outline"`
		Refused  []outlineResult `json:"refused"`
	}
}

func (a *Area) importSources(ctx context.Context, in *opmlInput) (*importOutput, error) {
	feeds, err := opml.Read(in.RawBody, in.ContentType)
	switch {
	case errors.Is(err, opml.ErrTooMany):
		return nil, web.Invalid(web.FieldError{Field: "body", Message: fmt.Sprintf("has more than %d outlines; split the file", opml.MaxOutlines)})
	case err != nil:
		return nil, web.Invalid(web.FieldError{Field: "body", Message: "is not OPML: an XML document with the root element opml"}).Because(err)
	}
	all, err := a.sources.All(ctx)
	if err != nil {
		return nil, err
	}
	names, byURL := map[string]bool{}, map[string]string{}
	for _, one := range all {
		names[one.Name], byURL[one.Settings.URL] = true, one.Name
	}
	out := &importOutput{}
	out.Body.Created, out.Body.Existing, out.Body.Refused = []outlineResult{}, []outlineResult{}, []outlineResult{}
	defaults := source.Settings{Enabled: true, Tags: in.Tags, Match: in.Match, Interval: in.Interval}
	for _, f := range feeds {
		result := outlineResult{Name: byURL[f.URL], Title: f.Title, URL: f.URL}
		if result.Name != "" {
			out.Body.Existing = append(out.Body.Existing, result)
			continue
		}
		result.Name, result.Reasons, err = a.addOutline(ctx, f, defaults, names)
		switch {
		case err != nil:
			return nil, err
		case len(result.Reasons) > 0:
			out.Body.Refused = append(out.Body.Refused, result)
		default:
			byURL[f.URL] = result.Name
			out.Body.Created = append(out.Body.Created, result)
		}
	}
	a.poller.Changed()
	return out, nil
}

// addOutline adds the source for an outline, and its name to the names. It returns the reasons why the outline is refused.
func (a *Area) addOutline(ctx context.Context, f opml.Feed, defaults source.Settings, names map[string]bool) (name string, refused []string, err error) {
	settings, wrong := a.poller.Check(source.FromOutline(f, defaults))
	for _, field := range wrong {
		refused = append(refused, strings.TrimPrefix(field.Field, "body.")+" "+field.Message)
	}
	for len(refused) == 0 {
		name = source.OutlineName(f, func(candidate string) bool { return names[candidate] })
		_, _, err = a.sources.Put(ctx, name, settings, platform.Match{None: true})
		names[name] = true
		switch {
		case errors.Is(err, platform.ErrOtherRevision): // the source was added meanwhile
		case errors.Is(err, source.ErrTooMany):
			return "", []string{"there are " + strconv.Itoa(source.MaxSources) + " sources, the maximum"}, nil
		default:
			return name, nil, err
		}
	}
	return "", refused, nil
}

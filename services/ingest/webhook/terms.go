package webhook

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/assay-project/assay/pkg/guard"
	"github.com/assay-project/assay/pkg/web"
	"github.com/assay-project/assay/pkg/webhook"
)

// WebhookTerms are what can be changed besides the URL. What is absent is not changed.
type WebhookTerms struct {
	Name      *string   `json:"name,omitempty" maxLength:"64" pattern:"^[A-Za-z0-9._-]*$" doc:"a unique name, by which items can name the endpoint"`
	Areas     *[]string `json:"areas,omitempty" maxItems:"16" doc:"the areas whose events are delivered; empty for all"`
	Types     *[]string `json:"types,omitempty" maxItems:"32" doc:"the types of the events that are delivered, such as library.completed; empty for all"`
	Tags      *[]string `json:"tags,omitempty" maxItems:"32" doc:"only events of items with one of these tags are delivered; empty for all"`
	Folder    *string   `json:"folder,omitempty" maxLength:"36" doc:"id of a folder of the library: only events of items in it, or below it, are delivered; empty for all"`
	OnlyNamed *bool     `json:"onlyNamed,omitempty" doc:"deliver only events of items that name the endpoint"`
	Include   *string   `json:"include,omitempty" enum:"result," doc:"result: payloads contain the result if they do not exceed 20 KB"`
	Enabled   *bool     `json:"enabled,omitempty" doc:"false: deliveries are listed, but not sent; true: events from now on are sent"`
}

type createInput struct {
	web.CallerParam
	Body newWebhook
}

type newWebhook struct {
	URL string `json:"url" minLength:"1" maxLength:"2048" doc:"begins with https://"`
	WebhookTerms
	Signature string `json:"signature,omitempty" enum:"hmac,ed25519" doc:"hmac (default): version v1; ed25519: version v1a"`
}

type changeInput struct {
	webhook.Target
	Body webhookChange
}

type webhookChange struct {
	URL *string `json:"url,omitempty" maxLength:"2048"`
	WebhookTerms
}

// set replaces a value if there is another.
func set[T any](to, from *T) {
	if from != nil {
		*to = *from
	}
}

// apply changes an endpoint, or returns the problem with the URL or the terms. others are the other endpoints of the owner.
func (c calls) apply(e *webhook.Endpoint, to *string, t WebhookTerms, others []webhook.Endpoint) error {
	set(&e.URL, to)
	set(&e.Name, t.Name)
	set(&e.Filter.Areas, t.Areas)
	set(&e.Filter.Types, t.Types)
	set(&e.Filter.Tags, t.Tags)
	set(&e.Filter.Folder, t.Folder)
	set(&e.Filter.Named, t.OnlyNamed)
	if t.Include != nil {
		e.Include = *t.Include == "result"
	}
	if t.Enabled != nil {
		if e.Off = !*t.Enabled; *t.Enabled {
			e.EnabledAt = c.now().UTC()
		}
	}
	if err := c.checkURL(e.URL); err != nil {
		return err
	}
	for _, area := range e.Filter.Areas {
		if !slices.Contains(c.areas, area) && area != webhook.Area {
			return web.Invalid(web.FieldError{Field: "body.areas", Message: area + " is not an area; the areas are " + strings.Join(c.areas, ", ")})
		}
	}
	for _, kind := range e.Filter.Types {
		area, rest, _ := strings.Cut(kind, ".")
		if rest == "" || !slices.Contains(c.areas, area) && area != webhook.Area {
			return web.Invalid(web.FieldError{Field: "body.types", Message: kind + " is not a type of event, such as " + c.areas[0] + ".completed"})
		}
	}
	if folder := e.Filter.Folder; folder != "" && uuid.Validate(folder) != nil {
		return web.Invalid(web.FieldError{Field: "body.folder", Message: "is not the id of a folder"})
	}
	if e.Name != "" && slices.ContainsFunc(others, func(o webhook.Endpoint) bool { return o.Name == e.Name }) {
		return web.NewProblem(http.StatusConflict, "name-used", "Another endpoint has this name. Choose another name.")
	}
	return nil
}

// checkURL returns a problem for a URL that may not be called.
func (c calls) checkURL(text string) error {
	u, err := url.Parse(text)
	if err == nil {
		err = c.cfg.CheckURL(u)
	}
	switch {
	case err == nil:
		return nil
	case errors.Is(err, guard.ErrBlocked):
		return web.NewProblem(http.StatusUnprocessableEntity, "url-not-allowed", strings.ToUpper(err.Error()[:1])+err.Error()[1:]+".")
	}
	return web.Invalid(web.FieldError{Field: "body.url", Message: "is not a URL"})
}

// Package acapclient asks the decision service of acap which URLs a crawler may use.
//
// It fails closed: what is not answered as permitted, whatever the reason, is not permitted.
package acapclient

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"time"
	"unicode/utf8"
)

const (
	mostURLs   = 1000     // in one request
	mostOctets = 64 << 20 // of an answer; a longer one is not read
	margin     = time.Second
)

// Client asks one service. Its methods may be called from any goroutine.
type Client struct {
	// URL is where the service answers: http://127.0.0.1:8080
	URL string
	// Token is what it wants to see, empty if it wants none.
	Token string
	// Crawler is the name that policies are searched for.
	Crawler string
	// Usages are asked for each URL; none is "crawl".
	Usages []string
	// Deadline is how long the service waits for policies that it does not know; zero is five seconds.
	Deadline time.Duration
	// HTTP is the client to ask with; nil is one of its own that follows no redirect.
	HTTP *http.Client
}

// Answer is what the service says of a URL for one usage.
type Answer struct {
	URL          *string  `json:"url"`
	Usage        string   `json:"usage"`
	Outcome      string   `json:"outcome"`
	Kind         *string  `json:"kind"`
	Line         *int     `json:"line"`
	Rule         *string  `json:"rule"`
	Restrictions []string `json:"restrictions"`
	Age          *int     `json:"age"`
	Error        *string  `json:"error"`
	RetryAfter   *int     `json:"retry_after"`
}

// Permission is what may be done with a URL. Its zero value permits nothing.
type Permission struct {
	// Permitted: for every usage that was asked for, under all Restrictions.
	Permitted    bool
	Restrictions []string
	// RetryAfter: if positive, it is worth to ask again after this time.
	RetryAfter time.Duration
	Answers    []Answer
}

// Ask returns a permission for each URL, in their order. With an error some or all of them permit nothing.
func (c *Client) Ask(ctx context.Context, urls []string) ([]Permission, error) {
	permissions := make([]Permission, len(urls))
	var failed error
	for begin := 0; begin < len(urls); begin += mostURLs {
		end := min(begin+mostURLs, len(urls))
		if err := c.askPart(ctx, urls[begin:end], permissions[begin:end]); err != nil {
			failed = errors.Join(failed, err)
			clear(permissions[begin:end])
		}
	}
	return permissions, failed
}

func (c *Client) askPart(ctx context.Context, urls []string, permissions []Permission) error {
	deadline := c.Deadline
	if deadline <= 0 {
		deadline = 5 * time.Second
	}
	ctx, cancel := context.WithTimeout(ctx, deadline+margin)
	defer cancel()
	usages := c.Usages
	if len(usages) == 0 {
		usages = []string{"crawl"}
	}
	body, err := json.Marshal(map[string]any{
		"crawler": c.Crawler, "usages": usages, "urls": urls, "deadline_ms": deadline.Milliseconds(),
	})
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.URL+"/v1/decisions", bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	if c.Token != "" {
		request.Header.Set("Authorization", "Bearer "+c.Token)
	}
	response, err := c.client().Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	octets, err := io.ReadAll(io.LimitReader(response.Body, mostOctets))
	if err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("the decision service answers %s: %.200s", response.Status, octets)
	}
	return permit(octets, urls, usages, permissions)
}

// permit fills in the permissions from an answer. Each row has to be the one that was asked for.
func permit(octets []byte, urls, usages []string, permissions []Permission) error {
	var document struct {
		Usages  []string `json:"usages"`
		Answers []Answer `json:"answers"`
	}
	if !utf8.Valid(octets) {
		return errors.New("the decision service answers no UTF-8")
	}
	if err := json.Unmarshal(octets, &document); err != nil {
		return fmt.Errorf("the decision service answers no JSON: %w", err)
	}
	width := len(document.Usages)
	if width == 0 || len(document.Answers) != width*len(urls) {
		return fmt.Errorf("the decision service answers %d rows for %d URLs", len(document.Answers), len(urls))
	}
	for _, usage := range usages {
		// "search" is answered as its parts.
		if usage != "search" && !slices.Contains(document.Usages, usage) {
			return fmt.Errorf("the decision service does not answer for %s", usage)
		}
	}
	for place, url := range urls {
		found := Permission{Permitted: true, Answers: document.Answers[place*width : (place+1)*width]}
		for number, answer := range found.Answers {
			if answer.URL == nil || *answer.URL != url || answer.Usage != document.Usages[number] {
				return fmt.Errorf("the decision service answers another question than that of row %d", place*width+number)
			}
			if answer.Outcome != "permitted" || answer.Error != nil {
				found.Permitted = false
			}
			if answer.RetryAfter != nil {
				found.RetryAfter = max(found.RetryAfter, time.Duration(*answer.RetryAfter)*time.Second)
			}
			found.Restrictions = append(found.Restrictions, answer.Restrictions...)
		}
		permissions[place] = found
	}
	return nil
}

// A redirect would take the token, and the decision, to another place.
var own = &http.Client{
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

func (c *Client) client() *http.Client {
	if c.HTTP != nil {
		return c.HTTP
	}
	return own
}

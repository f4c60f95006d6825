// Command ask reads URLs from standard input, one a line, and prints each with what may be done.
//
//	ask http://127.0.0.1:8080 examplebot crawl,index < urls.txt
package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"example.org/acapclient"
)

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: ask SERVICE CRAWLER USAGES < URLS")
		os.Exit(2)
	}
	client := &acapclient.Client{
		URL: os.Args[1], Crawler: os.Args[2], Usages: strings.Split(os.Args[3], ","),
		Token: os.Getenv("ACAP_DECISIONS_TOKEN"), Deadline: time.Second,
	}
	var urls []string
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		urls = append(urls, lines.Text())
	}
	permissions, err := client.Ask(context.Background(), urls)
	for place, permission := range permissions {
		fmt.Printf("%t\t%s\t%s\n", permission.Permitted, urls[place], strings.Join(permission.Restrictions, "; "))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

module example.org/acapclient

go 1.22

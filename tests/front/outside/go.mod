module driftbar.io/tests/front/outside

go 1.21

/** Style sheets are imported for their effect; Vite puts them in the page. */
declare module '*.css';
